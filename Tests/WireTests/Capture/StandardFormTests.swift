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
    Row(date(951_782_400), #""2000-02-29T00:00:00Z""#), Row(Date.distantPast, #""0000-12-30T00:00:00Z""#),
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

  // MARK: What is a value, and what is none

  /// Texts, by the standards' verdict: the value's own text, or nil for what is no value.
  static let dates: [(text: String, value: String?)] = [
    // RFC 3339 §5.8
    ("1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"), ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z"),
    ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"), ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
    ("1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"),
    ("2026-03-29t02:30:00z", "2026-03-29T02:30:00Z"), ("2026-03-29T02:30:00-00:00", "2026-03-29T02:30:00Z"),
    ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"), ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
    ("2026-01-01T00:00:00.0004999Z", "2026-01-01T00:00:00Z"), ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z"),
    ("2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00Z"),
    ("2026-12-31T23:59:59.999999999999Z", "2027-01-01T00:00:00Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"), ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ("1582-10-10T00:00:00Z", "1582-10-10T00:00:00Z"),
    ("2026-02-30T00:00:00Z", nil), ("2026-02-29T00:00:00Z", nil), ("1900-02-29T00:00:00Z", nil),
    ("2026-04-31T00:00:00Z", nil), ("2026-01-00T00:00:00Z", nil), ("2026-01-32T00:00:00Z", nil),
    ("2026-00-01T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-01-01T24:00:00Z", nil),
    ("2026-01-01T25:30:00Z", nil), ("2026-01-01T00:60:00Z", nil), ("2026-01-01T00:00:61Z", nil),
    // Nobody could write these in UTC.
    ("9999-12-31T23:59:60Z", nil), ("9999-12-31T23:59:59.9996Z", nil), ("0000-01-01T00:00:00+00:01", nil),
    ("2026-01-01T00:00:60Z", nil), ("2026-06-30T12:00:60Z", nil), ("2026-01-15T23:59:60Z", nil),
    ("2026-01-01T00:00:00Zjunk", nil), ("2026-01-01T00:00:00Z ", nil), (" 2026-01-01T00:00:00Z", nil),
    ("2026-01-01T00:00:00", nil), ("2026-01-01", nil), ("2026-01-01 00:00:00Z", nil), ("2026-01-01T00:00Z", nil),
    ("2026-01-01T00:00:00.Z", nil), ("2026-01-01T00:00:00,5Z", nil), ("2026-01-01T00:00:00+1", nil),
    ("2026-01-01T00:00:00+0100", nil), ("2026-01-01T00:00:00+01", nil), ("2026-01-01T00:00:00+24:00", nil),
    ("2026-01-01T00:00:00+01:60", nil), ("2026-01-01T00:00:00Z+01:00", nil), ("20260101T000000Z", nil),
    ("2026-W01-1T00:00:00Z", nil), ("2026-1-1T0:0:0Z", nil), ("+2026-01-01T00:00:00Z", nil),
    ("-2026-01-01T00:00:00Z", nil), ("12026-01-01T00:00:00Z", nil), ("٢٠٢٦-01-01T00:00:00Z", nil), ("", nil),
    ("Z", nil),
  ]

  static let decimals: [(text: String, value: String?)] = [
    ("0", "0"), ("-0", "0"), ("1", "1"), ("-1.50", "-1.5"), ("+1", "1"), ("007", "7"), (".5", "0.5"), ("5.", "5"),
    ("1e3", "1000"), ("1E-3", "0.001"), ("1.5e+2", "150"),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("0.1000000000000000000000000000000000000000000000", "0.1"), ("0e5", "0"),
    ("--1", nil), ("-+1", nil), ("1-", nil), ("1.2.3", nil), ("1e5e5", nil), ("1e", nil), ("1e+", nil), ("e5", nil),
    (".", nil), ("-", nil), ("+", nil), ("", nil), ("1 ", nil), (" 1", nil), ("1,5", nil), ("1_000", nil),
    ("0x10", nil),
    ("NaN", nil), ("inf", nil), ("1e.5", nil), ("1e5.0", nil), ("١", nil), ("1\u{301}", nil), ("1e9999", nil),
    ("1e999999999999999999999", nil), ("1e-9999", nil),
    // More digits than a decimal has.
    ("1234567890123456789012345678901234567890.5", nil), ("0.1234567890123456789012345678901234567890123", nil),
  ]

  static let datas: [(text: String, value: String?)] = [
    ("", ""), ("AA==", "AA=="), ("AAE=", "AAE="), ("AAH+/w==", "AAH+/w=="),
    ("AA", nil), ("AA=", nil), ("A", nil), ("AAE", nil), ("AA==AA==", nil), ("AAE==", nil), ("=", nil), ("====", nil),
    ("AA== ", nil), ("A A==", nil), ("AA\n==", nil), ("AAH-_w==", nil), ("AB==", nil), ("AAF=", nil), ("AA==junk", nil),
    ("é===", nil),
  ]

  static let urls: [(text: String, value: String?)] = [
    ("https://example.org/a?b=%C3%A9#c", "https://example.org/a?b=%C3%A9#c"),
    ("mailto:a@example.org", "mailto:a@example.org"),
    ("urn:isbn:0451450523", "urn:isbn:0451450523"), ("/a/b?c", "/a/b?c"), ("a", "a"), ("#top", "#top"),
    ("//example.org/a", "//example.org/a"), ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/"),
    ("HTTP://EXAMPLE.org/%7ea", "HTTP://EXAMPLE.org/%7ea"),
    ("", nil), (" ", nil), ("http://a b", nil), ("http://example.org/a b", nil), (" http://example.org", nil),
    ("http://example.org\n", nil), ("http://example.org/<a>", nil), ("http://example.org/%zz", nil),
    ("http://example.org/%", nil),
    ("http://exämple.org", nil), ("http://example.org/\u{1F600}", nil), ("http://example.org/a^b", nil), ("a\\b", nil),
    ("http://example.org:port/", nil), ("http://[::1/", nil), ("1http://a", nil), ("http://a/#b#c", nil),
    ("http://a/\"b\"", nil),
    ("http://a/{b}", nil),
  ]

  static let uuids: [(text: String, value: String?)] = [
    ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    ("e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    ("E621E1F8-C36C-495A-93FC-0C247A3E6E5Fjunk", nil), ("E621E1F8-C36C-495A-93FC-0C247A3E6E5", nil),
    ("E621E1F8C36C495A93FC0C247A3E6E5F", nil), ("{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}", nil),
    ("urn:uuid:E621E1F8-C36C-495A-93FC-0C247A3E6E5F", nil), ("E621E1F8-C36C-495A-93FC-0C247A3E6E5G", nil),
    (" 621E1F8-C36C-495A-93FC-0C247A3E6E5F", nil), ("0x21E1F8-C36C-495A-93FC-0C247A3E6E5F", nil),
    ("+621E1F8-C36C-495A-93FC-0C247A3E6E5F", nil), ("E621E1F8-C36C-495A-93FC0C247A3E6E5F-", nil), ("", nil),
  ]

  @Test("a date is read as RFC 3339 has it, and nothing else is a date", arguments: dates)
  func date_isReadStrictly(text: String, value: String?) throws { try Self.expect(Date.self, text, value) }

  @Test("a decimal is read to its last digit, and nothing else is a decimal", arguments: decimals)
  func decimal_isReadStrictly(text: String, value: String?) throws { try Self.expect(Decimal.self, text, value) }

  @Test("base64 is read as RFC 4648 has it, and nothing else is base64", arguments: datas)
  func data_isReadStrictly(text: String, value: String?) throws { try Self.expect(Data.self, text, value) }

  @Test("a URL is read as RFC 3986 has it, and nothing is escaped to make one", arguments: urls)
  func url_isReadStrictly(text: String, value: String?) throws { try Self.expect(URL.self, text, value) }

  @Test("a UUID is read in its one form", arguments: uuids)
  func uuid_isReadStrictly(text: String, value: String?) throws { try Self.expect(UUID.self, text, value) }

  /// A text is read as the value that is written as `value`, alone, in an array and as a member; or as no value at all.
  private static func expect<Value: Codable>(_ type: Value.Type, _ text: String, _ value: String?) throws {
    let json = JSONWriter.text { $0.string(text) }
    for (source, path) in [(json, ""), ("[\(json)]", "0"), ("{\"a\":\(json)}", "a")] {
      let element = try JSONElement(parsing: source)
      let read = Result {
        switch path {
        case "0": try ActionDecoder.decodeValue([Value].self, from: element).first
        case "a": try ActionDecoder.decodeValue([String: Value].self, from: element)["a"]
        default: try ActionDecoder.decodeValue(Value.self, from: element)
        }
      }
      guard let value else {
        #expect(throws: DecodingError.self, "\(text)") { try read.get() }
        continue
      }
      let known = try read.get()
      let written = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(known, into: &json) }
      #expect(try JSONValue(parsing: written) == .string(value), "\(text)")
    }
  }

  @Test("what is shown is read as the same value", arguments: TestRun.seeds(103))
  func anyValue_comesBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<500 {
      let data = Data(
        (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
      try Self.expectSame(data)
      let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in Int.random(in: 0...9, using: &generator) }
      let number = digits.map(String.init).joined() + "e\(Int.random(in: -120...80, using: &generator))"
      if let decimal = Decimal(string: number), decimal.isFinite { try Self.expectSame(decimal) }
      try Self.expectSame(-Decimal(Int.random(in: 0...Int.max, using: &generator)))
      let milliseconds = Int.random(in: -62_167_219_200_000..<253_402_300_800_000, using: &generator)
      try Self.expectSame(Date(timeIntervalSinceReferenceDate: (Double(milliseconds) - 978_307_200_000) / 1000))
      try Self.expectSame(UUID())
      try Self.expectSame(try #require(URL(string: "https://h.example/\(UUID())?q=%C3%A9#\(milliseconds.magnitude)")))
      let integer = Int64.random(in: .min ... .max, using: &generator)
      for text in ["\(integer)", "\(integer).0", "\(integer)0e-1", "\(integer)e0"] {
        #expect(try ActionDecoder.decodeValue(Int64.self, from: JSONElement(parsing: text)) == integer)
      }
      #expect(throws: DecodingError.self) {
        try ActionDecoder.decodeValue(Int64.self, from: JSONElement(parsing: "\(integer).5"))
      }
    }
  }

  private static func expectSame<Value: Codable & Equatable>(_ value: Value) throws {
    let text = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(value, into: &json) }
    #expect(try ActionDecoder.decodeValue(Value.self, from: JSONElement(parsing: text)) == value, "\(text)")
  }

  @Test("a state's number is no text", arguments: ["1.5", "0x1p3", "1e400", "", "infinit"])
  func textInAState_isNoNumber(text: String) throws {
    let element = try StateCoder.read("\"\(text)\"")
    #expect(throws: DecodingError.self) { let _: Double = try StateCoder.decode(from: element) }
    #expect(throws: DecodingError.self) { let _: Float = try StateCoder.decode(from: element) }
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
    arguments: [253_402_300_800, -62_167_219_201, Double.infinity, -Double.infinity, Double.nan])
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
      (#"{"published":"yesterday"}"#, "published", #""yesterday" is no date of RFC 3339."#),
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
