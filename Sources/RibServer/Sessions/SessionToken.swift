import Crypto

/// What a client proves itself with: 256 random bits, as text.
///
/// Only its hash is kept.
enum SessionToken {
  /// The SHA-256 of a token.
  ///
  /// - Parameter token: of any length.
  /// - Returns: 64 hexadecimal digits.
  static func hash(_ token: String) -> String { hash(Array(token.utf8)) }

  /// The SHA-256 of bytes.
  ///
  /// - Parameter bytes: of any number.
  /// - Returns: 64 hexadecimal digits.
  static func hash(_ bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hexadecimal(hash.finalize())
  }

  /// Whether a token has this hash; takes as long for every wrong one.
  ///
  /// - Parameters:
  ///   - token: what a client says.
  ///   - hash: what is kept.
  /// - Returns: whether it is the one.
  static func matches(_ token: String, _ hash: String) -> Bool { isSame(self.hash(token), hash) }

  /// Whether two hashes are the same; takes as long for every other hash.
  static func isSame(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Bytes as hexadecimal digits.
///
/// - Parameter bytes: any number of them.
/// - Returns: two digits a byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}
