extension HTTPGrammar {
  /// Whether `text` is `uri-host [":" port]`, as a Host field has it (RFC 9110 §7.2, RFC 3986 §3.2.2).
  ///
  /// The host may be empty, as the grammar has it. User information is no part of it.
  static func isHost(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.first == UInt8(ascii: "[") else { return isPortOrNothing(bytes.drop(while: isHostNameByte)) }
    let afterAddress = bytes.dropFirst().drop(while: isAddressByte)
    return afterAddress.count < bytes.count - 1 && afterAddress.first == UInt8(ascii: "]")
      && isPortOrNothing(afterAddress.dropFirst())
  }

  private static func isPortOrNothing(_ bytes: Substring.UTF8View) -> Bool {
    bytes.isEmpty || (bytes.first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy(isDigit))
  }

  /// Whether `byte` may stand in a registered name: unreserved, sub-delims or part of a percent-encoding.
  private static func isHostNameByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "%": true
    case "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=": true
    default: false
    }
  }

  /// Whether `byte` may stand between the brackets of an IPv6 address.
  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."f", "A"..."F", "0"..."9", ":", ".": true
    default: false
    }
  }
}
