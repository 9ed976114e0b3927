import RibTestSupport
import Testing
import WireHash

@testable import Wire

@Suite("RFC 8785, the JSON Canonicalization Scheme")
struct CanonicalJSONTests {
  private static func canonical(_ text: String) throws -> String {
    String(decoding: try JSONValue(parsing: text).canonicalBytes, as: UTF8.self)
  }

  // MARK: The RFC's examples

  @Test("appendix B: every number has the form of its double, as read and as a value", arguments: numbers)
  func number_hasOneForm(bits: UInt64, text: String) throws {
    let number = JSONValue.number(Double(bitPattern: bits))
    #expect(String(decoding: number.canonicalBytes, as: UTF8.self) == text)
    #expect(try Self.canonical(text) == text)
    // However it is written.
    #expect(try Self.canonical(Double(bitPattern: bits).description) == text)
  }

  static let numbers = ShortestNumberTests.samples + [(bits: 0x8000_0000_0000_0000, text: "0")]

  @Test("appendix B: NaN and the infinities are errors, and no text has them")
  func numberThatIsNone_isRefused() async throws {
    for text in ["NaN", "Infinity", "-Infinity"] {
      #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }
    await #expect(processExitsWith: .failure) {
      _ = JSONValue.number(Double(bitPattern: 0x7FFF_FFFF_FFFF_FFFF)).canonicalBytes
    }
    await #expect(processExitsWith: .failure) {
      _ = JSONValue.number(Double(bitPattern: 0x7FF0_0000_0000_0000)).canonicalBytes
    }
  }

  @Test("§3.2.2 to §3.2.4: the example, to the byte")
  func example_isWrittenToTheByte() throws {
    let text = #"""
      {
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      }
      """#
    let bytes: [UInt8] = [
      0x7b, 0x22, 0x6c, 0x69, 0x74, 0x65, 0x72, 0x61, 0x6c, 0x73, 0x22, 0x3a, 0x5b, 0x6e, 0x75, 0x6c, 0x6c, 0x2c, 0x74,
      0x72, 0x75, 0x65, 0x2c, 0x66, 0x61, 0x6c, 0x73, 0x65, 0x5d, 0x2c, 0x22, 0x6e, 0x75, 0x6d, 0x62, 0x65, 0x72, 0x73,
      0x22, 0x3a, 0x5b, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x2e, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33,
      0x33, 0x2c, 0x31, 0x65, 0x2b, 0x33, 0x30, 0x2c, 0x34, 0x2e, 0x35, 0x2c, 0x30, 0x2e, 0x30, 0x30, 0x32, 0x2c, 0x31,
      0x65, 0x2d, 0x32, 0x37, 0x5d, 0x2c, 0x22, 0x73, 0x74, 0x72, 0x69, 0x6e, 0x67, 0x22, 0x3a, 0x22, 0xe2, 0x82, 0xac,
      0x24, 0x5c, 0x75, 0x30, 0x30, 0x30, 0x66, 0x5c, 0x6e, 0x41, 0x27, 0x42, 0x5c, 0x22, 0x5c, 0x5c, 0x5c, 0x5c, 0x5c,
      0x22, 0x2f, 0x22, 0x7d,
    ]
    let value = try JSONValue(parsing: text)
    #expect(value.canonicalBytes == bytes)
    #expect(value.canonicalHash == "2d5e01a318d0f0879ab568c4be289c8b1f64ef8921a53c6277d5e069978baacb")
  }

  @Test("§3.2.3: members are sorted by the UTF-16 of their keys")
  func members_areSorted() throws {
    let text = #"""
      {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
      "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
      """#
    let members = [
      #""\r":"Carriage Return""#, #""1":"One""#, "\"\u{80}\":\"Control\"",
      "\"\u{F6}\":\"Latin Small Letter O With Diaeresis\"", "\"\u{20AC}\":\"Euro Sign\"",
      "\"\u{1F600}\":\"Emoji: Grinning Face\"", "\"\u{FB33}\":\"Hebrew Letter Dalet With Dagesh\"",
    ]
    #expect(haveSameUTF8(try Self.canonical(text), "{\(members.joined(separator: ","))}"))
  }

  @Test("§3.2.2.2: control characters, the quote and the backslash are escaped, and nothing else")
  func string_isEscaped() throws {
    var text = ""
    for code in 0..<0x80 as Range<UInt8> { text.unicodeScalars.append(Unicode.Scalar(code)) }
    text += "\u{80}\u{2028}\u{FFFF}\u{1F600}e\u{301}"
    let short: [UInt8: String] = [8: #"\b"#, 9: #"\t"#, 10: #"\n"#, 12: #"\f"#, 13: #"\r"#]
    var expected = "\""
    for code in 0..<0x20 as Range<UInt8> {
      expected += short[code] ?? #"\u00"# + (code < 16 ? "0" : "") + String(code, radix: 16)
    }
    for scalar in text.unicodeScalars.dropFirst(0x20) {
      if scalar == "\"" || scalar == "\\" { expected += "\\" }
      expected.unicodeScalars.append(scalar)
    }
    let bytes = JSONValue.string(text).canonicalBytes
    #expect(bytes == Array((expected + "\"").utf8))
  }

  // MARK: Integers

  static let integers: [(value: Int64, text: String)] = [
    (0, "0"), (-1, "-1"), (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992"),
    (-9_007_199_254_740_992, "-9007199254740992"), (9_007_199_254_740_993, "9007199254740992"),
    (9_007_199_254_740_995, "9007199254740996"), (-9_007_199_254_740_993, "-9007199254740992"),
    (1_000_000_000_000_000_001, "1000000000000000000"), (.max, "9223372036854776000"),
    (.min, "-9223372036854776000"),
  ]

  @Test("§3.2.2.3: an integer is written as its double, wherever it stands", arguments: integers)
  func integer_goesThroughTheDouble(value: Int64, text: String) throws {
    #expect(try Self.canonical("\(value)") == text)
    #expect(try Self.canonical("[[\(value)],{\"a\":\(value)}]") == "[[\(text)],{\"a\":\(text)}]")
    // Whoever reads it as a double has the same hash.
    #expect(JSONValue.integer(value).canonicalHash == JSONValue.number(Double(value)).canonicalHash)
  }

  // MARK: Hashes

  static let hashes: [(text: String, hash: String)] = [
    ("{ }", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    (" [1.0, 2e0]", "49a64717d5d4cb19952e6eac2946415cf6879adacf9908e7d872332d32c6e684"),
    (#"{"b":"\u00e9","a":null}"#, "f270a00f359d59c06c4261f850dbe023015ac7f7c499605f9a80ac01cb4c9784"),
    (
      #"{"nodes":{"1":{"type":"Counter","state":{"count":0,"isNegative":false}}},"root":1}"#,
      "bcbb4298c0010317701e29a09d234da395b7f488296a5748f9ab1050d43bde0b"
    ),
  ]

  @Test("a hash is that of another implementation", arguments: hashes)
  func hash_isTheirs(text: String, hash: String) throws {
    #expect(try JSONValue(parsing: text).canonicalHash == hash)
  }

  // MARK: Properties

  @Test(
    "2,000 random values: one form, whatever the order, the layout and the escapes", arguments: TestRun.seeds(31))
  func canonicalForm_isOne(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<1000 {
      let value = JSONValue.random(depth: 4, using: &generator)
      let canonical = String(decoding: value.canonicalBytes, as: UTF8.self)
      let again = try Self.canonical(canonical)
      try #require(haveSameUTF8(again, canonical), "seed \(seed)")
      let shuffled = value.shuffled(using: &generator)
      let form = try Self.canonical(shuffled)
      try #require(haveSameUTF8(form, canonical), "seed \(seed): \(shuffled)")
    }
  }

  @Test("2,000 random values: another value has another hash", arguments: TestRun.seeds(33))
  func hash_tellsValuesApart(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var texts: [String: String] = [:]
    for _ in 0..<1000 {
      let value = JSONValue.random(depth: 3, using: &generator)
      let hash = value.canonicalHash
      let text = String(decoding: value.canonicalBytes, as: UTF8.self)
      #expect(hash.count == 64 && hash.allSatisfy { $0.isHexDigit && !$0.isUppercase })
      let before = texts.updateValue(text, forKey: hash) ?? text
      try #require(haveSameUTF8(before, text), "seed \(seed)")
    }
    #expect(texts.count > 100)
  }
}

extension JSONValue {
  /// A text of the value that is written another way.
  fileprivate func shuffled(using generator: inout SeededGenerator) -> String {
    let space = [" ", "\n", "\t \r", ""].randomElement(using: &generator) ?? ""
    switch self {
    case .array(let elements):
      return "[\(space)\(elements.map { $0.shuffled(using: &generator) }.joined(separator: "\(space),"))]"
    case .object(let members):
      let parts = members.map { ($0.key, $0.value) }.shuffled(using: &generator).map { key, value in
        Self.escaped(key) + "\(space):" + value.shuffled(using: &generator)
      }
      return "{\(parts.joined(separator: ",\(space)"))\(space)}"
    case .string(let text): return Self.escaped(text)
    default: return space + text + space
    }
  }

  private static func escaped(_ text: String) -> String {
    let units = text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(units.joined())\""
  }
}
