/// A place in a JSON value (RFC 6901).
public struct JSONPointer: Sendable, CustomStringConvertible {
  /// The reference tokens, unescaped.
  ///
  /// Empty for the whole value.
  public var tokens: [String]

  /// The place that `tokens` lead to.
  ///
  /// - Parameter tokens: member keys and array indices, from the outside in.
  public init(_ tokens: [String] = []) {
    self.tokens = tokens
  }

  /// Reads a pointer's text.
  ///
  /// - Parameter text: empty, or tokens that each follow a `/`, with `~0` for `~` and `~1` for `/`.
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
  ///
  /// - Parameter other: the other place.
  /// - Returns: true if its tokens begin with the tokens of this one.
  func contains(_ other: JSONPointer) -> Bool { other.tokens.starts(with: tokens, by: haveSameUTF8) }

  /// A token as it stands in a pointer's text (RFC 6901 §3).
  static func escape(_ token: String) -> String {
    // By scalars: together with an accent that follows it, a `~` or `/` is another character.
    token.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// RFC 6901 §4: `~1` first, so that `~01` is `~1`; one pass from the left does the same.
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

// RFC 6901 §4: keys are compared byte by byte.
extension JSONPointer: Hashable {
  /// Whether two places are the same in every document.
  ///
  /// - Parameters:
  ///   - ours: the one.
  ///   - theirs: the other.
  /// - Returns: true if their tokens are the same, byte by byte.
  public static func == (ours: JSONPointer, theirs: JSONPointer) -> Bool {
    ours.tokens.elementsEqual(theirs.tokens, by: haveSameUTF8)
  }

  /// Hashes the tokens.
  ///
  /// - Parameter hasher: takes them.
  public func hash(into hasher: inout Hasher) {
    for token in tokens { hasher.combine(ExactString(token)) }
  }
}
