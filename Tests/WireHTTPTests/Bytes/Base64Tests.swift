import Testing

@testable import WireHTTP

@Suite("RFC 4648 §4 Base 64")
struct Base64Tests {
  /// RFC 4648 §10, and the last two characters of the alphabet.
  static let pairs: [(bytes: [UInt8], text: String)] = [
    ([], ""),
    (Array("f".utf8), "Zg=="),
    (Array("fo".utf8), "Zm8="),
    (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg=="),
    (Array("fooba".utf8), "Zm9vYmE="),
    (Array("foobar".utf8), "Zm9vYmFy"),
    ([0xFB, 0xEF, 0xFF], "++//"),
    ([0], "AA=="),
    ([0xFF, 0xFF], "//8="),
  ]

  @Test("the RFC's samples, there and back", arguments: pairs)
  func samples_areCodedBothWays(bytes: [UInt8], text: String) {
    #expect(Base64.encode(bytes.span) == text)
    #expect(Base64.decode(text) == bytes)
  }

  @Test("every byte in every place comes back", arguments: 0..<3)
  func everyByte_comesBack(offset: Int) {
    let bytes = [UInt8](repeating: 0xA5, count: offset) + (0...255)
    #expect(Base64.decode(Base64.encode(bytes.span)) == bytes)
  }

  @Test(
    "§3: anything but the one text for some bytes is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zm8", "Zm9vYg", "Zg===", "Zg==Zg==", "=", "==", "====", "A===", "=AAA", "Z=g=", "Zg=a",
      "Zm9v\n", "Zm9v\r\n", " Zm9v", "Zm 9v", "Zm-_", "Zm*v", "Zm\u{E9}", "Zh==", "Zm9=", "Zg==\u{0}",
      "\u{0}\u{0}\u{0}\u{0}", "@@@@", "[[[[", "````", "{{{{", "::::", ",,,,", "....",
    ])
  func otherText_isRefused(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
