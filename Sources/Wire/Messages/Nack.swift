/// A refusal of an action.
///
/// It is final and uses up the action's number.
public struct Nack: Equatable, Sendable {
  /// Why an action was refused.
  public enum Code: String, CaseIterable, Sendable {
    /// The node no longer exists, or never did.
    case gone
    /// The node exists and is not active.
    case inactive
    /// The node has no such action.
    case badAction = "bad_action"
    /// The client may not act.
    case forbidden
    /// The app refuses the action in its present state, for the reason in the message.
    case refused
    /// The action made the server's process die twice, and is not run again.
    case poisoned
    /// The action was run and rolled back: the tree did not settle, or its view or a state could not be encoded.
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
  ///   - number: the action's number.
  ///   - code: the kind of refusal.
  ///   - message: the reason in a sentence, for the client's developer.
  package init(number: Int, code: Code, message: String) {
    self.number = number
    self.code = code
    self.message = message
  }

  init(_ json: JSONElement) throws(MessageError) {
    let number = try json.number(MessageKey.number, in: MessageKind.nack)
    let code = try json.name(MessageKey.code, in: MessageKind.nack)
    let known = Code(rawValue: code)
    // A code that this version does not know counts as `failed`, which is a refusal like any other.
    self.init(
      number: number, code: known ?? .failed,
      message: json[MessageKey.message]?.string ?? (known == nil ? code : ""))
  }

  /// How many bytes it has as JSON in a list, or a few more.
  package var size: Int {
    message.utf8.reduce(48 + code.rawValue.utf8.count) { size, byte in
      size + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
    }
  }

  package func write(into json: inout JSONWriter) {
    json.member(MessageKey.number, number)
    json.member(MessageKey.code, code.rawValue)
    json.member(MessageKey.message, message)
  }
}
