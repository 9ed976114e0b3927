import WireHTTP

/// Base 64 with the alphabet for URLs, without padding (RFC 7515 §2).
enum Base64URL {
  /// The bytes for a text; nil if it is not exactly what an encoder makes of them.
  ///
  /// Padding, characters of other alphabets, and unused bits that are set are refused (RFC 4648 §3.5): each token has exactly one text.
  ///
  /// - Parameter text: the characters.
  /// - Returns: the bytes.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var standard: [UInt8] = []
    standard.reserveCapacity(text.count + 3)
    for byte in text {
      switch byte {
      case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: standard.append(byte)
      }
    }
    while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
    return Base64.decode(String(decoding: standard, as: UTF8.self))
  }
}
