import Foundation
import Testing

@testable import RibAuth

@Suite struct Base64URLTests {
  @Test(
    arguments: [
      ("", []), ("Zg", [0x66]), ("Zm8", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]), ("-_8", [0xFB, 0xFF]),
    ] as [(String, [UInt8])])
  func text_isDecoded(text: String, bytes: [UInt8]) {
    #expect(Base64URL.decode(text.utf8) == bytes)
  }

  /// Padding, the other alphabet, blanks, an impossible length, bits that say nothing.
  @Test(arguments: ["Zg==", "Zg=", "=", "+_8", "-/8", " Zg", "Zg\n", "Z", "Zm9vZ", "Zh", "Zm9", "Zm9v\0", "é"])
  func otherText_isRefused(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
  }

  /// Of all texts with two letters only those are taken that Foundation writes: one for each byte.
  @Test func byte_hasOneText() {
    let letters = (UInt8(0x21)...0x7E).map { $0 }
    let taken = letters.flatMap { first in letters.map { [first, $0] } }.compactMap { text in
      Base64URL.decode(text).map { (text, $0) }
    }
    #expect(taken.count == 256)
    for (text, bytes) in taken { #expect(encode(Data(bytes)) == String(decoding: text, as: UTF8.self)) }
  }
}

/// Base 64 for URLs, by Foundation.
func encode(_ bytes: Data) -> String {
  bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
