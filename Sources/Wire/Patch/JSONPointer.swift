/// A place in a JSON value (RFC 6901).
public struct JSONPointer: Sendable, CustomStringConvertible {
  /// The reference tokens, unescaped; none for the whole value.
  public var tokens: [String]

  /// The place to which `tokens` lead: member keys and array indices, from the outside in.
  public init(_ tokens: [String] = []) {
    self.tokens = tokens
  }

  /// Reads the text of a pointer.
  ///
  /// - Parameter text: empty, or tokens each preceded by `/`, with `~0` for `~` and `~1` for `/`.
  /// - Throws: ``PatchError/malformedPointer(_:)`` for any other text.
  package init(parsing text: String) throws(PatchError) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else { throw .malformedPointer(text) }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let token = Self.unescape(part) else { throw .malformedPointer(text) }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  /// The pointer's text.
  public var description: String { tokens.map { "/" + Self.escape($0) }.joined() }

  /// Whether another place is this one or lies within it.
  func contains(_ other: JSONPointer) -> Bool { other.tokens.starts(with: tokens, by: haveSameUTF8) }

  /// A token as it stands in a pointer's text (RFC 6901 §3).
  static func escape(_ token: String) -> String {
    // Scalar by scalar: as a `Character`, a `~` or `/` followed by a combining accent would not equal `~` or `/`.
    token.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// One pass from the left has the result that RFC 6901 §4 asks for: `~01` becomes `~1`.
  private static func unescape(_ part: Substring.UTF8View.SubSequence) -> String? {
    var bytes: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

// Tokens are compared byte by byte (RFC 6901 §4).
extension JSONPointer: Hashable {
  /// Whether both have the same tokens, byte by byte.
  public static func == (ours: JSONPointer, theirs: JSONPointer) -> Bool {
    ours.tokens.elementsEqual(theirs.tokens, by: haveSameUTF8)
  }

  /// Hashes the tokens.
  public func hash(into hasher: inout Hasher) {
    for token in tokens { hasher.combine(ExactString(token)) }
  }
}
