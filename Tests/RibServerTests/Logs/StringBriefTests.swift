import Testing

@testable import RibServer

@Suite struct StringBriefTests {
  @Test func shortText_isWhole() {
    let text = String(repeating: "a", count: 200)
    #expect(text.forLog == text && "".forLog == "")
  }

  @Test(arguments: ["a", "é", "👩‍👩‍👧‍👦", "a\u{301}"]) func longText_isCut_betweenCharacters(_ character: Character) {
    let text = String(repeating: character, count: 1000)
    let brief = text.forLog
    #expect(brief.hasSuffix("…") && text.hasPrefix(brief.dropLast()))
    #expect(brief.utf8.count <= 203)
    #expect(brief.utf8.count > 200 - character.utf8.count)
  }

  /// One character may have as many bytes as a client likes.
  @Test func endlessCharacter_isLeftOut() {
    #expect(("a" + String(repeating: "\u{301}", count: 10_000)).forLog == "…")
  }
}
