import Testing

@testable import Wire

@Suite struct ExactStringTests {
  @Test func textsOfOneCharacterInTwoForms_areTwoTexts() {
    let (composed, decomposed): (ExactString, ExactString) = ("\u{E9}", "e\u{301}")
    #expect(composed.string == decomposed.string && composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect([composed, decomposed].sorted() == [decomposed, composed])
  }

  @Test func order_isThatOfTheBytes() {
    let texts: [ExactString] = ["", "Z", "a", "a\u{0}", "ab", "\u{E9}", "\u{FFFF}", "\u{10000}"]
    #expect(texts.reversed().sorted() == texts)
  }

  @Test func dictionary_isAskedWithAString() {
    var lists: [ExactString: [Int]] = [:]
    lists["a"] = [1]
    lists["a"]?.append(2)
    #expect(lists["a"] == [1, 2] && lists["b"] == nil)
    lists["a"] = nil
    #expect(lists.isEmpty)
  }
}
