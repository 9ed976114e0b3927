/// A refusal of an action.
///
/// It is final and uses up the action's number.
public struct Nack: Equatable, Sendable {
  /// Why an action was refused.
  public enum Code: String, CaseIterable, Sendable {
    /// There is no such node, any more or at all.
    case gone
    /// The node is there but not active.
    case inactive
    /// The action is none of the node's.
    case badAction = "bad_action"
    /// The client may not act.
    case forbidden
    /// The app does not do it now, and says why.
    case refused
    /// The action made the server's process die twice and is not run again.
    case poisoned
    /// The action was run and undone: it did not settle, or its outcome cannot be shown.
    case failed
  }

  /// The action's number.
  public let number: Int
  /// Why it was refused.
  public let code: Code
  /// The reason in a sentence, for the client's developer.
  public let message: String

  /// A refusal.
  ///
  /// - Parameters:
  ///   - number: of the action.
  ///   - code: why.
  ///   - message: a sentence.
  package init(number: Int, code: Code, message: String) {
    self.number = number
    self.code = code
    self.message = message
  }

  init(_ json: JSONElement) throws(MessageError) {
    let number = try json.number(MessageKey.number, in: MessageKind.nack)
    let code = try json.text(MessageKey.code, in: MessageKind.nack)
    let known = Code(rawValue: code)
    // One that this version does not know is a refusal like any other.
    self.init(
      number: number, code: known ?? .failed,
      message: json[MessageKey.message]?.string ?? (known == nil ? code : ""))
  }

  package func write(into json: inout JSONWriter) {
    json.member(MessageKey.number, number)
    json.member(MessageKey.code, code.rawValue)
    json.member(MessageKey.message, message)
  }
}
