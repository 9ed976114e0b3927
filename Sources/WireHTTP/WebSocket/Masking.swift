/// The exclusive-or of a payload with its key (RFC 6455 §5.3), its own inverse.
enum Masking {
  /// Masks or unmasks in place, eight bytes at a time.
  ///
  /// - Parameters:
  ///   - key: the four bytes of the key, the first one lowest.
  ///   - bytes: the payload from its start, or from where the key was turned to.
  static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    let wide = UInt64(key) << 32 | UInt64(key)
    let words = bytes.count & ~7
    var offset = 0
    while offset < words {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      bytes[offset] ^= UInt8(truncatingIfNeeded: key >> UInt32(8 * (offset & 3)))
      offset += 1
    }
  }

  /// The key for the rest of a payload.
  ///
  /// - Parameters:
  ///   - key: the key for what comes first.
  ///   - count: bytes that come before the rest.
  /// - Returns: the same four bytes, the one that is due first lowest.
  static func turn(_ key: UInt32, by count: Int) -> UInt32 {
    let bits = UInt32(8 * (count & 3))
    return bits == 0 ? key : key >> bits | key << (32 - bits)
  }
}
