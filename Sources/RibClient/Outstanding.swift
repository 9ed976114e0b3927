public import Wire

extension ClientSession {
  /// An action that was sent and not answered yet.
  public struct Outstanding: Equatable, Sendable {
    /// What was sent.
    public enum Action: Equatable, Sendable {
      /// An action of the riblet's own.
      case act(JSONValue)
      /// The renderer's back button.
      case back

      /// The action as people read it.
      public var text: String {
        switch self {
        case .act(let action): action.text
        case .back: "back"
        }
      }
    }

    /// Its number.
    public let number: Int
    /// Whom it is for.
    public let to: NodeAddress
    /// The action.
    public let action: Action
  }
}

extension ClientSession.Outstanding {
  /// Writes the action's message.
  ///
  /// - Parameters:
  ///   - json: where to.
  ///   - acknowledgement: an `ack` to ride on it.
  func write(into json: inout JSONWriter, acknowledgement: Acknowledgement?) {
    switch action {
    case .act(let action): json.act(number, to: to, action: action, acknowledgement: acknowledgement)
    case .back: json.back(number, to: to, acknowledgement: acknowledgement)
    }
  }
}
