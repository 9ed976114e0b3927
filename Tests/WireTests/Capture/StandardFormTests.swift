import Foundation
import RibTestSupport
import Testing

@testable import Wire

@Suite("Foundation's types in JSON")
struct StandardFormTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: @Sendable () throws -> String
    let isDecoded: @Sendable () throws -> Bool
    let expected: String

    init<Value: Codable & Equatable & Sendable>(_ value: Value, _ expected: String) {
      testDescription = expected
      self.expected = expected
      text = { try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(value, into: &json) } }
      isDecoded = { try ActionDecoder.decodeValue(Value.self, from: JSONElement(parsing: expected)) == value }
    }
  }

  struct Article: Codable, Equatable {
    var published: Date?
    var image: Data
    var links: [URL]
    var prices: [String: Decimal]
  }

  private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
  // swift-format-ignore: NeverForceUnwrap
  private static let link = URL(string: "https://example.org/a?b=%C3%A9#c")!

  static let rows: [Row] = [
    Row(date(0), #""1970-01-01T00:00:00Z""#), Row(date(1_700_000_000), #""2023-11-14T22:13:20Z""#),
    Row(date(1.5), #""1970-01-01T00:00:01.500Z""#), Row(date(-0.001), #""1969-12-31T23:59:59.999Z""#),
    Row(date(951_782_400), #""2000-02-29T00:00:00Z""#), Row(Date.distantPast, #""0001-01-01T00:00:00Z""#),
    Row(date(253_402_300_799), #""9999-12-31T23:59:59Z""#),
    Row(Data(), #""""#), Row(Data([0, 1, 0xFE, 0xFF]), #""AAH+/w==""#),
    Row(link, #""https://example.org/a?b=%C3%A9#c""#),
    Row(Decimal(string: "0.1") ?? 0, #""0.1""#), Row(Decimal(-5), #""-5""#),
    Row(
      Decimal(string: "12345678901234567890123456789.012345678") ?? 0, #""12345678901234567890123456789.012345678""#),
    Row([date(0), nil], #"["1970-01-01T00:00:00Z",null]"#),
    Row(
      Article(published: date(0), image: Data([1]), links: [link], prices: ["a": 1.5]),
      #"{"published":"1970-01-01T00:00:00Z","image":"AQ==","links":["https://example.org/a?b=%C3%A9#c"],"#
        + #""prices":{"a":"1.5"}}"#),
  ]

  @Test("each is a string that any client can read, and comes back", arguments: rows)
  func value_isAString(row: Row) throws {
    #expect(try row.text() == row.expected)
    #expect(try row.isDecoded())
  }

  @Test("less than a millisecond is rounded, to the next second if it is near")
  func date_isRounded() throws {
    #expect(try StandardForm.string(of: Self.date(0.9996)) == "1970-01-01T00:00:01Z")
    #expect(try StandardForm.string(of: Self.date(0.0004)) == "1970-01-01T00:00:00Z")
    var patch = PatchWriter()
    try ViewEncoder().writeDifference(from: [Self.date(0.0004)], to: [Self.date(0.0003)], into: &patch)
    #expect(patch.count == 0)
  }

  @Test("every millisecond comes back", arguments: TestRun.seeds(101))
  func anyMillisecond_comesBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<2000 {
      let milliseconds = Int.random(in: -62_135_769_600_000..<253_402_300_800_000, using: &generator)
      let text = try #require(try StandardForm.string(of: Self.date(Double(milliseconds) / 1000)))
      let date = try ActionDecoder.decodeValue(Date.self, from: JSONElement(parsing: "\"\(text)\""))
      #expect(Int((date.timeIntervalSince1970 * 1000).rounded()) == milliseconds, "\(text)")
    }
  }

  @Test("a change is one operation")
  func change_isReplaced() throws {
    let old = Article(image: Data(), links: [], prices: [:])
    var new = old
    new.published = Self.date(0)
    new.image = Data([1])
    var patch = PatchWriter()
    try ViewEncoder(prefersShorter: false).writeDifference(from: old, to: new, into: &patch)
    #expect(
      patch.text
        == #"[{"op":"replace","path":"/image","value":"AQ=="},"#
        + #"{"op":"add","path":"/published","value":"1970-01-01T00:00:00Z"}]"#
        || patch.text
          == #"[{"op":"add","path":"/published","value":"1970-01-01T00:00:00Z"},"#
          + #"{"op":"replace","path":"/image","value":"AQ=="}]"#
    )
  }

  // Seconds, as a test prints its arguments, and Foundation traps at the description of such a date.
  @Test(
    "a date whose year has not four digits is an error with its path",
    arguments: [253_402_300_800, -62_135_769_601, Double.infinity, -Double.infinity, Double.nan])
  func dateWithoutYear_isRefused(seconds: Double) {
    let date = Self.date(seconds)
    var json = JSONWriter()
    let error = #expect(throws: CaptureError.self) { try ViewEncoder().write(["when": [date]], into: &json) }
    #expect(error?.path == ["when", "0"])
    #expect(json.bytes.isEmpty)
  }

  @Test("a decimal that is none is an error with its path")
  func noDecimal_isRefused() {
    var json = JSONWriter()
    let error = #expect(throws: CaptureError.self) { try ViewEncoder().write(["a": Decimal.nan], into: &json) }
    #expect(error?.description == "a: NaN is no number")
  }

  @Test("a number is a decimal to the last digit")
  func number_isADecimal() throws {
    let element = try JSONElement(parsing: "[0.1, 1e3, 12345678901234567890.5]")
    let expected = [Decimal(string: "0.1"), 1000, Decimal(string: "12345678901234567890.5")]
    #expect(try ActionDecoder.decodeValue([Decimal].self, from: element) == expected)
  }

  @Test(
    "other strings are errors that say what was expected",
    arguments: [
      (#"{"published":"yesterday"}"#, "published", #""yesterday" is no date of ISO 8601."#),
      (#"{"published":0}"#, "published", "Expected a string, found a number."),
      (#"{"image":"?"}"#, "image", #""?" is no base64."#),
      (#"{"image":"","links":[""]}"#, "links.0", #""" is no URL."#),
      (#"{"image":"","links":[],"prices":{"a":"1,5"}}"#, "prices.a", #""1,5" is no decimal number."#),
      (#"{"image":"","links":[],"prices":{"a":"1.5€"}}"#, "prices.a", #""1.5€" is no decimal number."#),
    ])
  func otherString_isRefused(text: String, path: String, reason: String) throws {
    let element = try JSONElement(parsing: text)
    let error = #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue(Article.self, from: element) }
    let context: DecodingError.Context? =
      switch error {
      case .dataCorrupted(let context), .typeMismatch(_, let context): context
      default: nil
      }
    #expect(context?.codingPath.map(\.stringValue).joined(separator: ".") == path)
    #expect(context?.debugDescription == reason)
  }
}
