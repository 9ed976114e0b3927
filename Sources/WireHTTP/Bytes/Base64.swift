/// Base 64 with the standard alphabet and padding (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The text for `bytes`, padded, without line breaks.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count / 3 + 1) * 4)
    var start = 0
    while start < bytes.count {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
      // One byte is written as two characters, two bytes as three, three bytes as four.
      for place in 0..<4 {
        text.append(place <= count ? alphabet[Int(group >> (18 - 6 * UInt32(place)) & 0x3F)] : padding)
      }
      start += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes for `text`; nil if the text is not exactly what ``encode(_:)`` makes of them.
  ///
  /// Padding is required, and characters outside the alphabet are refused (RFC 4648 §3.2 and §3.3). So are unused bits
  /// that are set (§3.5): no two texts decode to the same bytes.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    let padded = characters.suffix(2).reversed().prefix { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3)
    var group: UInt32 = 0
    var bits = 0
    for character in characters.dropLast(padded) {
      guard let value = value(of: character) else { return nil }
      group = group << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        group &= (1 << UInt32(bits)) - 1
      }
    }
    return group == 0 ? bytes : nil
  }

  /// The six bits that `character` stands for, nil outside the alphabet.
  private static func value(of character: UInt8) -> UInt32? {
    switch Unicode.Scalar(character) {
    case "A"..."Z": UInt32(character - UInt8(ascii: "A"))
    case "a"..."z": UInt32(character - UInt8(ascii: "a")) + 26
    case "0"..."9": UInt32(character - UInt8(ascii: "0")) + 52
    case "+": 62
    case "/": 63
    default: nil
    }
  }
}
