import RibTestSupport
import Testing

@testable import Wire

@Suite("RFC 6901 JSON Pointer")
struct JSONPointerTests {
  /// The pointers of §5, and others.
  static let pointers: [(text: String, tokens: [String])] = [
    ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
    ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), ("/i\\j", ["i\\j"]), ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]),
    ("//", ["", ""]), ("/a//b/", ["a", "", "b", ""]), ("/~01", ["~1"]), ("/~0~1~00~10", ["~/~0/0"]),
    ("/-", ["-"]), ("/\u{E9}/e\u{301}", ["\u{E9}", "e\u{301}"]), ("/\u{0}", ["\u{0}"]),
    // An accent makes one character of itself and what is before it.
    ("/\u{301}", ["\u{301}"]), ("/~0\u{301}", ["~\u{301}"]), ("/a~1\u{301}/\u{301}", ["a/\u{301}", "\u{301}"]),
  ]

  @Test("§5: a pointer is read and written", arguments: pointers)
  func pointer_isReadAndWritten(text: String, tokens: [String]) throws {
    let pointer = try JSONPointer(parsing: text)
    #expect(pointer.tokens == tokens)
    #expect(zip(pointer.tokens, tokens).allSatisfy(haveSameUTF8))
    #expect(haveSameUTF8(JSONPointer(tokens).description, text))
  }

  @Test(
    "§3: any other text is refused",
    arguments: ["a", "a/b", " /a", "#/a", "0", "~", "/~", "/~2", "/a~", "/a~/b", "/~~0", "/~a", "\u{301}/a"])
  func otherText_isRefused(text: String) {
    #expect(throws: PatchError.malformedPointer(text)) { try JSONPointer(parsing: text) }
  }

  @Test("any tokens come back", arguments: TestRun.seeds(41))
  func anyTokens_comeBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<1000 {
      let tokens = (0..<Int.random(in: 0...4, using: &generator)).map { _ in String.random(using: &generator) }
      let text = JSONPointer(tokens).description
      let read = try JSONPointer(parsing: text).tokens
      #expect(read.count == tokens.count, "seed \(seed)")
      #expect(zip(read, tokens).allSatisfy(haveSameUTF8), "seed \(seed)")
    }
  }
}
