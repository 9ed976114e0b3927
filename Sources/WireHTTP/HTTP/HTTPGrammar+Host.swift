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
    return (isIPv6Address(literal) || isFutureAddress(literal)) && isPortOrNothing(bytes[end...].dropFirst())
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

  /// Whether `bytes` are an IPv6 address: eight groups of up to four digits, of which a row may be left out as `::`; the
  /// last two may be an IPv4 address.
  private static func isIPv6Address(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes
    var groups = 0
    var isShortened = rest.starts(with: "::".utf8)
    if isShortened { rest = rest.dropFirst(2) }
    while !rest.isEmpty || groups == 0 && !isShortened {
      let digits = rest.prefix(while: isHexadecimalDigit)
      let next = rest[digits.endIndex...]
      if next.first == UInt8(ascii: ".") {
        guard isIPv4Address(rest) else { return false }
        groups += 2
        break
      }
      guard 1...4 ~= digits.count else { return false }
      groups += 1
      if next.isEmpty { break }
      rest = next.dropFirst()
      guard next.first == UInt8(ascii: ":"), !rest.isEmpty else { return false }
      if rest.first == UInt8(ascii: ":") {
        guard !isShortened else { return false }
        isShortened = true
        rest = rest.dropFirst()
      }
    }
    return isShortened ? groups < 8 : groups == 8
  }

  /// Whether `bytes` are four numbers up to 255, without leading zeros.
  private static func isIPv4Address(_ bytes: Substring.UTF8View) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        part.allSatisfy(isDigit) && UInt8(Substring(part)).map { String($0).utf8.count == part.count } ?? false
      }
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
