import Testing

@testable import Wire

@Suite struct StreamSafetyTests {
  private func run(_ scalar: Unicode.Scalar, _ count: Int) -> String {
    String(String.UnicodeScalarView(repeatElement(scalar, count: count)))
  }

  @Test(arguments: ["\u{301}", "\u{334}", "\u{5B0}", "\u{1D165}", "\u{FF9E}", "\u{302A}"] as [Unicode.Scalar])
  func marks_areAtMost30InARow(mark: Unicode.Scalar) {
    for start in ["", "a", "é", "中"] {
      #expect((start + run(mark, 30)).isStreamSafe)
      #expect(!(start + run(mark, 31)).isStreamSafe)
      #expect((start + run(mark, 30) + "a" + run(mark, 30)).isStreamSafe)
      #expect(!(start + run(mark, 30) + "a" + run(mark, 31)).isStreamSafe)
    }
  }

  /// Their compatibility decompositions have two marks each (UAX #15 §13).
  @Test(arguments: ["\u{344}", "\u{F73}", "\u{F75}", "\u{F81}"] as [Unicode.Scalar])
  func markOfTwo_countsTwice(mark: Unicode.Scalar) {
    #expect(run(mark, 15).isStreamSafe && !run(mark, 16).isStreamSafe)
    #expect((run(mark, 14) + run("\u{301}", 2)).isStreamSafe && !(run(mark, 14) + run("\u{301}", 3)).isStreamSafe)
  }

  @Test func regionalIndicators_areAtMost128InARow() {
    for indicator in ["\u{1F1E6}", "\u{1F1FF}"] as [Unicode.Scalar] {
      #expect(run(indicator, 128).isStreamSafe && !run(indicator, 129).isStreamSafe)
      #expect((run(indicator, 128) + " " + run(indicator, 128)).isStreamSafe)
    }
    // Neither ends the other's run into a safe one.
    #expect(!(run("\u{301}", 16) + run("\u{301}", 15)).isStreamSafe)
    #expect((run("\u{301}", 30) + "\u{1F1E6}" + run("\u{301}", 30)).isStreamSafe)
  }

  /// All scripts and emoji: no run of theirs is as long.
  @Test(arguments: ["", "a\u{7F}", "Z̸̡̢a̷l̵g̶o̴", "한국어 텍스트", "नमस्ते", "བོད་སྐད", "👩‍👩‍👧‍👦🏳️‍🌈", "🇩🇪🇫🇷", "שָׁלוֹם", "مُحَمَّد", "ﾊﾞｶﾞ"])
  func textOfPeople_isSafe(text: String) {
    #expect(text.isStreamSafe)
    #expect(String(repeating: text, count: 30).isStreamSafe)
  }

  @Test func valueIsLookedThrough_keysAndElementsToo() throws {
    let unsafe = run("\u{301}", 31)
    for text in [#""PLACE""#, #"{"PLACE":1}"#, #"{"a":[0,{"b":"PLACE"}]}"#, #"["a","é","PLACE"]"#] {
      let json = try JSONElement(parsing: text.replacing("PLACE", with: unsafe))
      #expect(!json.isStreamSafe && json.firstUnsafeString?.string.map { haveSameUTF8($0, unsafe) } == true)
      let escaped = String(repeating: #"\u0301"#, count: 31)
      #expect(!(try JSONElement(parsing: text.replacing("PLACE", with: escaped))).isStreamSafe)
      #expect(
        (try JSONElement(
          parsing: text.replacing("PLACE", with: unsafe.unicodeScalars.dropFirst().map(String.init).joined())))
          .isStreamSafe)
    }
    // Only what is in the value counts.
    let act = try JSONElement(parsing: #"{"x":"\#(unsafe)","a":{"b":"c"}}"#)
    #expect(!act.isStreamSafe && act["a"]?.isStreamSafe == true)
  }

  @Test func textOfASCIIWithoutEscapes_isNotLookedThrough() throws {
    var reader = JSONReader()
    #expect(try reader.read(#"{"a":"b"}"#).isPlain)
    #expect(try !reader.read(#"{"a":"é"}"#).isPlain)
    #expect(try !reader.read(#"{"a":"\n"}"#).isPlain)
    // The memory of the last text is used again, and what was noted of it is not.
    #expect(try reader.read(#"{"a":"b"}"#).isPlain)
  }
}
