import Crypto
package import Wire

extension JSONValue {
  /// The SHA-256 of ``/Wire/JSONValue/canonicalBytes`` in 64 lower-case hexadecimal digits: the `hash` of a patch.
  package var canonicalHash: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = SHA256.hash(data: canonicalBytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
