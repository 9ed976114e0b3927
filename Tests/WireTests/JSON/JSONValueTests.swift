import RibTestSupport
import Testing

@testable import Wire

@Suite("JSON values of their own")
struct JSONValueTests {
  /// Values and their only text.
  static let pairs: [(value: JSONValue, text: String)] = [
    (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.integer(0), "0"),
    (.integer(.max), "9223372036854775807"),
    (.integer(.min), "-9223372036854775808"), (.number(0.5), "0.5"), (.number(-1e300), "-1e+300"),
    (.number(.leastNonzeroMagnitude), "5e-324"),
    (.number(1.8446744073709552e19), "18446744073709552000"), (.digits("18446744073709551615"), "18446744073709551615"),
    (.string(""), #""""#),
    (.string("a\n\u{1F}\""), #""a\n\u001f\"""#),
    (.array([]), "[]"), (.object([:]), "{}"), (.array([.null, .array([.array([])])]), "[null,[[]]]"),
    (.object(["b": .integer(1), "a": .object(["": .null])]), #"{"a":{"":null},"b":1}"#),
  ]

  @Test("a value is written and read", arguments: pairs)
  func value_isWrittenAndRead(value: JSONValue, text: String) throws {
    #expect(value.text == text)
    #expect(try JSONValue(parsing: text) == value)
    #expect(try JSONValue(JSONElement(parsing: text)) == value)
  }

  static let normalized: [(text: String, canonical: String)] = [
    ("-0", "0"), ("-0.0", "0"), ("1E-7", "1e-7"), ("1.0", "1"), ("1e2", "100"), ("0.10", "0.1"),
    ("18446744073709551615", "18446744073709551615"), ("-9223372036854775809", "-9223372036854775809"),
    ("9007199254740993.0", "9007199254740993"), ("1e400", "null"), (#""\u0041\/""#, #""A/""#), ("[ 1 , 2 ]", "[1,2]"),
    (#"{"b":1,"a":2,"b":3}"#, #"{"a":2,"b":3}"#), (#"{"\u0061":1,"a":2}"#, #"{"a":2}"#),
  ]

  @Test("texts that mean the same become one", arguments: normalized)
  func text_isNormalized(text: String, canonical: String) throws {
    #expect(try JSONValue.canonical(text) == canonical)
  }

  @Test("RFC 8785 §3.2.3: members are sorted by the UTF-16 of their keys")
  func members_areSorted() throws {
    let text = #"""
      {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
      "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
      """#
    let values = [
      "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign", "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]
    var sorted: [String] = []
    try JSONElement(parsing: JSONValue.canonical(text)).forEachMember { _, value in sorted.append(value.string ?? "") }
    #expect(sorted == values)
  }

  /// Keys in the order of their UTF-16, which is another than that of their characters or of their UTF-8.
  static let sortedKeys: [[String]] = [
    ["", "\u{0}", " ", "0", "10", "2", "A", "a", "aa", "b", "\u{7F}", "\u{80}", "\u{E9}", "\u{20AC}"],
    // A surrogate pair begins with D800 to DBFF: before U+E000 to U+FFFF.
    ["\u{D7FF}", "\u{10000}", "\u{1F600}", "\u{10FFFF}", "\u{E000}", "\u{FB33}", "\u{FFFD}", "\u{FFFF}"],
    ["\u{10000}", "\u{10000}\u{0}", "\u{10000}\u{10000}", "\u{10000}\u{E000}", "\u{10001}", "\u{103FF}", "\u{10400}"],
    ["a\u{10000}", "a\u{E000}", "a\u{FFFF}", "b"],
    // The same to Swift: by what they are written with.
    ["e\u{301}", "\u{E9}"], ["\u{41}\u{30A}", "\u{C5}", "\u{212B}"],
  ]

  @Test("RFC 8785 §3.2.3: surrogate pairs are sorted as two units", arguments: sortedKeys)
  func members_areSortedByUTF16(keys: [String]) throws {
    var object = JSONObject()
    for key in keys.reversed() { object[key] = .object([key: .null]) }
    var written: [String] = []
    try JSONElement(parsing: JSONValue.object(object).text).forEachMember { key, value in
      written.append(key.string ?? "")
      #expect(value[key.string ?? ""]?.isNull == true)
    }
    #expect(written.elementsEqual(keys, by: haveSameUTF8))
  }

  @Test("RFC 8785 §3.2.2: literals, numbers and strings have one form, and white space has none")
  func canonicalText_hasOneForm() throws {
    let text = #"""
      { "string" : "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "numbers" : [333333333.33333329, 1E30, 4.50, 2e-3,
        0.000000000000000000000000001, -0], "literals" : [ null , true , false ] }
      """#
    let literals = "\"literals\":[null,true,false]"
    let numbers = "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27,0]"
    let string = #""string":"€$\u000f\nA'B\"\\\\\"/""#
    #expect(haveSameUTF8(try JSONValue.canonical(text), "{\(literals),\(numbers),\(string)}"))
  }

  @Test("a value is printed as JSON, also within others")
  func description_isJSON() {
    let value = JSONValue.object(["b": .array([.null, .number(.nan), .number(-.infinity)]), "a": .string("x")])
    #expect("\(value)" == #"{"a":"x","b":[null,nan,-inf]}"#)
    #expect(String(reflecting: [value]) == "[\(value)]")
    #expect("\(JSONObject())" == "{}")
    var dumped = ""
    dump(value, to: &dumped)
    #expect(!dumped.contains("ExactString"))
  }

  @Test("2,000 random values come back", arguments: TestRun.seeds(21))
  func randomValue_comesBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<1000 {
      let value = JSONValue.random(depth: 4, using: &generator)
      #expect(try JSONValue(parsing: value.text) == value, "seed \(seed)")
      #expect(haveSameUTF8(try JSONValue.canonical(value.text), value.text), "seed \(seed)")
    }
  }

  @Test("a member is found, and nowhere but in an object")
  func subscript_findsMembers() throws {
    let value = try JSONValue(parsing: #"{"a":{"b":[1]}}"#)
    #expect(value["a"]?["b"] == .array([.integer(1)]))
    #expect(value["b"] == nil)
    #expect(value["a"]?["b"]?["0"] == nil)
    #expect(JSONValue.null["a"] == nil)
  }

  @Test("a value is written after others as one more")
  func write_separatesValues() {
    let text = JSONWriter.text { json in
      json.beginArray()
      for (value, _) in Self.pairs { value.write(into: &json) }
      json.endArray()
    }
    #expect(text == "[\(Self.pairs.map(\.text).joined(separator: ","))]")
  }

  @Test("a text that is not JSON is no value")
  func malformedText_isRefused() {
    #expect(throws: JSONError(reason: .unexpectedEnd, offset: 1)) { try JSONValue(parsing: "[") }
  }
}

extension JSONValue {
  /// Any value; its numbers are such as read back as the same case.
  static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator))
    case 3: return .number(Double.random(in: -1...1, using: &generator) + 0.000_123)
    case 4: return .string(.random(using: &generator))
    case 5, 6:
      return .array(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      var members = JSONObject()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        members[.random(using: &generator)] = random(depth: depth - 1, using: &generator)
      }
      return .object(members)
    }
  }
}
