/// Why a text is not JSON, or exceeds a limit: always the fault of the peer that sent it.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong at ``JSONError/offset``.
  public enum Reason: String, Sendable {
    /// The text ends inside a value.
    case unexpectedEnd = "the text ends inside a value"
    /// A byte that the grammar does not allow here.
    case unexpectedByte = "unexpected character"
    /// Something follows the value.
    case trailingBytes = "characters after the value"
    /// A number with a form that RFC 8259 §6 does not know, such as `01` or `1.`.
    case invalidNumber = "malformed number"
    /// A control character inside a string must be escaped (RFC 8259 §7).
    case controlCharacter = "unescaped control character in a string"
    /// An escape that RFC 8259 §7 does not know.
    case invalidEscape = "malformed escape in a string"
    /// A `\u` escape that is half a surrogate pair and stands for no character, where `JSONLimits.takesHalfPairs` is false.
    case loneSurrogate = "lone surrogate in a string"
    /// A string is not UTF-8 (RFC 8259 §8.1).
    case invalidUTF8 = "a string is not UTF-8"
    /// More nested arrays and objects than `JSONLimits.depth`.
    case tooDeep = "nested too deeply"
    /// More bytes than `JSONLimits.bytes`.
    case tooLong = "longer than the limit"
  }

  /// What is wrong.
  public let reason: Reason
  /// Where, in bytes from the start of the text.
  public let offset: Int

  /// One sentence for a log or a client.
  public var description: String { "\(reason.rawValue), at byte \(offset)" }
}

/// What a JSON text may cost its reader.
package struct JSONLimits: Equatable, Sendable {
  /// How deeply arrays and objects may be nested in a text that this program writes, and in one that it reads.
  ///
  /// 512 is what Foundation's reader and those of several languages take at most, and far less than what would use up a stack.
  package static let nesting = 512
  /// How many of these levels are for what is around a value: a message in an array, the view and its node; a patch; a line of a recording.
  package static let envelope = 8
  /// How deeply a value may be nested that is shown, saved, sent or recorded.
  ///
  /// Whatever writes a value keeps to this limit, so that every reader can read the text around the value.
  package static let valueNesting = nesting - envelope

  /// How deeply arrays and objects may be nested.
  package var depth: Int
  /// How many bytes the text may have.
  ///
  /// Messages are limited where they are framed already; this limit is for texts that come another way.
  package var bytes: Int
  /// Whether a `\u` escape that is half a surrogate pair is read, as U+FFFD.
  ///
  /// RFC 8259 §8.2 allows such an escape, and browsers write it for a text that is cut in the middle of a character. False for texts in
  /// which two names must not become one.
  package var takesHalfPairs: Bool

  /// Limits for one text.
  ///
  /// - Parameters:
  ///   - depth: how deeply arrays and objects may be nested.
  ///   - bytes: how many bytes the text may have; at most 2^32−1, to which a greater number is reduced.
  ///   - takesHalfPairs: whether half a surrogate pair is read, as U+FFFD.
  package init(depth: Int = nesting, bytes: Int = 16 << 20, takesHalfPairs: Bool = true) {
    self.depth = depth
    self.bytes = min(bytes, Int(UInt32.max))
    self.takesHalfPairs = takesHalfPairs
  }
}
