import Testing
import Wire

struct StringVisibleTests {
  @Test(
    arguments: [
      ("", ""), ("Ada: \"é\" 人 \u{1F600} \\u009b", "Ada: \"é\" 人 \u{1F600} \\u009b"), ("a\u{1B}[2Jb", "a\\u001b[2Jb"),
      ("\u{0}\u{7F}\u{9B}31m\u{9D}", "\\u0000\\u007f\\u009b31m\\u009d"), ("a\r\nb\tc", "a\\r\\nb\\tc"),
      ("a\u{202E}b\u{2066}\u{200F}\u{FEFF}", "a\\u202eb\\u2066\\u200f\\ufeff"), ("\u{2028}\u{85}", "\\u2028\\u0085"),
      ("a\u{3164}\u{115F}\u{FFA0}b\u{2800}", "a\\u3164\\u115f\\uffa0b\\u2800"),
      ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
      ("\u{E0001}", "\\udb40\\udc01"), ("\u{E000}\u{378}", "\\ue000\\u0378"),
    ])
  func text_isOnlySeen(_ text: String, _ visible: String) throws {
    #expect(text.visible == visible)
    #expect(visible.visible == visible)
    // What is JSON stays so.
    var json = JSONWriter()
    json.string(text)
    #expect(try JSONValue(parsing: String(decoding: json.bytes, as: UTF8.self).visible) == .string(text))
  }

  @Test func lines_stayLines() {
    #expect("a\n\n\u{1B}b\r\nc\n".visibleLines == "a\n\n\\u001bb\\r\nc\n")
  }

  /// Every character that a terminal or UAX #9 gives a meaning to.
  @Test func characterThatDoesSomething_isNotVisible() {
    let ranges: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF...0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F,
    ]
    for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
      #expect(!scalar.isVisible, "\(String(scalar.value, radix: 16))")
    }
    for scalar in "aé人\u{1F600} ~".unicodeScalars { #expect(scalar.isVisible) }
  }
}
