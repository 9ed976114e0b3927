extension HTTPGrammar {
  /// Whether `text` is `uri-host [":" port]`, as a Host field has it (RFC 9110 §7.2, RFC 3986 §3.2.2).
  ///
  /// The host may be empty, as the grammar has it. User information is no part of it.
  static func isHost(_ text: String) -> Bool {
    let bytes = text.utf8[...]
    guard bytes.first == UInt8(ascii: "[") else {
      let name = bytes.prefix { $0 != UInt8(ascii: ":") }
      return isRegisteredName(name) && isPortOrNothing(bytes[name.endIndex...])
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
    let literal = bytes[..<end].dropFirst()
    return (IPAddress.parseIPv6(Array(literal)[...]) != nil || isFutureAddress(literal))
      && isPortOrNothing(bytes[end...].dropFirst())
  }

  private static func isPortOrNothing(_ bytes: Substring.UTF8View) -> Bool {
    bytes.isEmpty || (bytes.first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy(isDigit))
  }

  private static func isRegisteredName(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes.drop(while: isNameByte)
    while !rest.isEmpty {
      let digits = rest.dropFirst().prefix(2)
      guard rest.first == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimalDigit) else {
        return false
      }
      rest = rest[digits.endIndex...].drop(while: isNameByte)
    }
    return true
  }

  /// Whether `bytes` are an address of a version to come: `v1.` and more.
  private static func isFutureAddress(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.first == UInt8(ascii: "v") || bytes.first == UInt8(ascii: "V") else { return false }
    let version = bytes.dropFirst().prefix(while: isHexadecimalDigit)
    let rest = bytes[version.endIndex...]
    return !version.isEmpty && rest.first == UInt8(ascii: ".") && rest.count > 1
      && rest.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ":") }
  }

  /// Whether `byte` may stand in a name as it is: unreserved or sub-delims.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    case "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=": true
    default: false
    }
  }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool { hexadecimalValue(byte) != nil }
}
