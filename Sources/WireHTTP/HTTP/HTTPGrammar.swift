/// The character classes of RFC 9110 §5.5 and §5.6 and of request targets, byte by byte.
enum HTTPGrammar {
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")
  static let space = UInt8(ascii: " ")

  /// Whether `byte` may stand in a token (RFC 9110 §5.6.2): a method, a field name, a subprotocol.
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9": true
    case "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
    default: false
    }
  }

  /// Whether `byte` may stand in a field value or a reason phrase: visible ASCII, SP, HTAB, obs-text (RFC 9110 §5.5).
  static func isFieldByte(_ byte: UInt8) -> Bool {
    byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
  }

  /// Whether `byte` may stand in a request target.
  ///
  /// Visible ASCII without `"` `#` `<` `>`, which every URL parser encodes. RFC 3986 also excludes others, such as `{`
  /// and `|`, but browsers send them bare in queries.
  static func isTargetByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "\"", "#", "<", ">": false
    case "!"..."~": true
    default: false
    }
  }

  /// Whether `byte` is SP or HTAB, the whitespace around a field value (RFC 9110 §5.6.3).
  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == space || byte == 0x09
  }

  /// Whether `byte` is an ASCII digit.
  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// The value of a hexadecimal digit, nil for anything else.
  static func hexadecimalValue(_ byte: UInt8) -> Int? {
    switch lowercased(byte) {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(lowercased(byte) - UInt8(ascii: "a")) + 10
    default: nil
    }
  }

  /// `byte`, in lower case if it is an ASCII letter.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }

  /// Whether `text` is a token (RFC 9110 §5.6.2).
  static func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
  }

  /// Whether two names are equal but for the case of ASCII letters.
  static func matches(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  /// Whether `test` holds for all of `bytes`.
  static func all(_ bytes: Span<UInt8>, _ test: (UInt8) -> Bool) -> Bool {
    for index in bytes.indices where !test(bytes[index]) { return false }
    return true
  }

  /// The position of the first `byte` at or after `start`.
  static func position(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// `bytes` as text; each character that is not ASCII becomes U+FFFD, as does what is no UTF-8.
  ///
  /// Obs-text is opaque (RFC 9110 §5.5), and no field that is read here has a meaning for it. So all text of a head can be compared
  /// in linear time, and what is not ASCII equals nothing.
  static func text(_ bytes: Span<UInt8>) -> String {
    bytes.withUnsafeBufferPointer { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard bytes.contains(where: { $0 >= 0x80 }) else { return text }
      return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : "\u{FFFD}" }))
    }
  }
}
