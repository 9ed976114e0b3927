import Testing

@testable import WireHTTP

@Suite("RFC 3629 UTF-8, as it arrives")
struct UTF8ValidatorTests {
  /// How many bytes are taken before the validator refuses; nil if it refuses none.
  private static func refusal(of bytes: [UInt8], inPiecesOf size: Int) -> Int? {
    var validator = UTF8Validator()
    for start in stride(from: 0, to: bytes.count, by: size) {
      let end = min(start + size, bytes.count)
      if !validator.accept(bytes.span.extracting(start..<end)) { return end }
    }
    return nil
  }

  @Test("text is accepted however it is cut, and is complete between two characters only")
  func text_isAcceptedHoweverItIsCut() {
    let bytes = Array(wideText.utf8)
    let ends = Set(wideText.unicodeScalars.reduce(into: [0]) { $0.append(($0.last ?? 0) + String($1).utf8.count) })
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var validator = UTF8Validator()
        for range in [0..<first, first..<second, second..<bytes.count] {
          let isText = validator.accept(bytes.span.extracting(range))
          #expect(isText)
          #expect(validator.isComplete == ends.contains(range.upperBound))
        }
      }
    }
  }

  @Test("what cannot become text is refused at the byte that shows it", arguments: brokenTexts)
  func brokenText_isRefusedAtOnce(name: String, bytes: [UInt8], seenAfter: Int) {
    for before in ["", "a", "\u{E9}", "\u{20AC}abc", "\u{1F600}"] {
      let start = Array(before.utf8)
      let all = start + bytes
      #expect(Self.refusal(of: all, inPiecesOf: 1) == start.count + seenAfter)
      for size in 2...all.count + 1 {
        let seen = start.count + seenAfter
        #expect(Self.refusal(of: all, inPiecesOf: size) == min((seen + size - 1) / size * size, all.count))
      }
      let isText = UTF8Validator.isValid(all.span)
      #expect(!isText)
    }
  }

  @Test("two bytes in a row mean to it what they mean to the standard library", arguments: UInt8.min...UInt8.max)
  func pairs_areJudgedLikeTheLibraryDoes(first: UInt8) {
    for second in UInt8.min...UInt8.max {
      let bytes = [first, second]
      var validator = UTF8Validator()
      var isValid = true
      for byte in bytes where isValid { isValid = validator.accept([byte].span) }
      let expected = UTF8Validator.isValid(bytes.span)
      #expect((isValid && validator.isComplete) == expected)
    }
  }
}
