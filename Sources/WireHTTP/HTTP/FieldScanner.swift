/// Reads the tokens, quoted strings and parameters of which header fields and chunk extensions are made (RFC 9110 §5.6).
struct FieldScanner {
  /// `name`, or `name=value`.
  struct Parameter: Equatable {
    let name: String
    /// Nil for a parameter without one; what is within the quotes, its escapes resolved, if it has some.
    let value: String?
  }

  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  init(_ bytes: Span<UInt8>) { rest = bytes.withUnsafeBufferPointer { Array($0)[...] } }

  /// The byte that comes next, nil at the end.
  var next: UInt8? { rest.first }

  /// A row of `;name` and `;name=value`, which may be empty, and the whitespace after it.
  ///
  /// - Returns: the parameters, nil if a `;` or `=` is not followed by what has to follow.
  mutating func parameters() -> [Parameter]? {
    var parameters: [Parameter] = []
    while skip(UInt8(ascii: ";")) {
      guard let name = token() else { return nil }
      var value: String?
      if skip(UInt8(ascii: "=")) {
        value = next == UInt8(ascii: "\"") ? quotedString() : token()
        if value == nil { return nil }
      }
      parameters.append(Parameter(name: name, value: value))
    }
    return parameters
  }

  /// A token, and the whitespace after it.
  ///
  /// - Returns: nil if there is none.
  mutating func token() -> String? {
    let bytes = rest.prefix(while: HTTPGrammar.isTokenByte)
    guard !bytes.isEmpty else { return nil }
    rest = rest[bytes.endIndex...]
    skipWhitespace()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A text in quotes (RFC 9110 §5.6.4), and the whitespace after it.
  ///
  /// - Returns: the text without its quotes, nil if the second one is missing or a byte may not stand there.
  private mutating func quotedString() -> String? {
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        skipWhitespace()
        return HTTPGrammar.text(bytes.span)
      }
      guard let unescaped = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte, HTTPGrammar.isFieldByte(unescaped)
      else { return nil }
      bytes.append(unescaped)
    }
    return nil
  }

  /// Goes past a byte and the whitespace after it.
  ///
  /// - Returns: whether it was there.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    rest = rest.dropFirst()
    skipWhitespace()
    return true
  }

  mutating func skipWhitespace() { rest = rest.drop(while: HTTPGrammar.isWhitespace) }
}
