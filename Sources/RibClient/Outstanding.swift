public import Wire

extension ClientSession {
  /// An action that was sent and has no answer yet.
  public struct Outstanding: Equatable, Sendable {
    /// The kind of an action, and its content.
    public enum Action: Equatable, Sendable {
      /// An action of the node's riblet, as JSON.
      case act(JSONValue)
      /// The use of the client's back button.
      case back

      /// The action as text for people.
      public var text: String {
        switch self {
        case .act(let action): action.text
        case .back: "back"
        }
      }
    }

    /// The action's number.
    public let number: Int
    /// The node that the action is for.
    public let to: NodeAddress
    /// The action.
    public let action: Action
    /// Whether only the action's number is sent from now on: the server could not read the action, and has ended two connections over it.
    public internal(set) var isWithdrawn = false
  }
}

extension ClientSession.Outstanding {
  /// Writes the action's message, with an `ack` to send along unless that is nil.
  func write(into json: inout JSONWriter, acknowledgement: Acknowledgement?) {
    // No node has the id 0: the server refuses the message, unless it has done the action before.
    guard !isWithdrawn else { return json.act(number, to: .id(0), action: .null, acknowledgement: acknowledgement) }
    switch action {
    case .act(let action): json.act(number, to: to, action: action, acknowledgement: acknowledgement)
    case .back: json.back(number, to: to, acknowledgement: acknowledgement)
    }
  }

  /// The refusal of the action, as its user is told.
  func refusal(_ nack: Nack) -> Nack {
    guard isWithdrawn, nack.code == .gone else { return nack }
    return Nack(number: nack.number, code: .badAction, message: "The server could not read the action.")
  }
}
