import Testing

@testable import Wire

@Suite("RFC 8259 What is JSON")
struct JSONParserTests {
  /// Texts of every kind of value, each with what it means.
  static let accepted: [(text: String, value: JSONValue)] = [
    ("null", .null),
    ("true", .bool(true)),
    ("false", .bool(false)),
    ("0", .integer(0)),
    ("-0", .number(-0.0)),
    ("-1", .integer(-1)),
    ("1234567890", .integer(1_234_567_890)),
    ("0.5", .number(0.5)),
    ("-0.25", .number(-0.25)),
    ("0e0", .integer(0)),
    ("0E+5", .integer(0)),
    ("1e2", .integer(100)),
    ("1E-1", .number(0.1)),
    ("1.50e+1", .integer(15)),
    ("10.010", .number(10.01)),
    (#""""#, .string("")),
    (#""a""#, .string("a")),
    (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
    (#""\u0041\u00e9\u20AC\u0000""#, .string("A\u{E9}\u{20AC}\u{0}")),
    (#""\uD834\uDD1E \ud7ff\uE000\uFFFF""#, .string("\u{1D11E} \u{D7FF}\u{E000}\u{FFFF}")),
    (#""\\u0041""#, .string("\\u0041")),
    (
      "\" \u{7F}\u{80}\u{E9}\u{2028}\u{FEFF}\u{1F600}\u{10FFFF}\"",
      .string(" \u{7F}\u{80}\u{E9}\u{2028}\u{FEFF}\u{1F600}\u{10FFFF}")
    ),
    ("[]", .array([])),
    ("{}", .object([:])),
    ("[1,[2],[[]],{}]", .array([.integer(1), .array([.integer(2)]), .array([.array([])]), .object([:])])),
    (#"{"a":1,"":{"b":[true,null]}}"#, .object(["a": .integer(1), "": .object(["b": .array([.bool(true), .null])])])),
    (#"["]","}",",",":","\""]"#, .array(["]", "}", ",", ":", "\""].map(JSONValue.string))),
  ]

  @Test("§2: a text is one value", arguments: accepted)
  func text_isRead(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test("§2: white space may stand around every token")
  func whiteSpace_isSkipped() throws {
    let spaced = "\t\n\r {\n\"a\"\r:\t[ 1 ,\n\n-2.5\r,\ttrue , { } , [ ] ] ,\n\"b\" : null\r\n} \t"
    #expect(try JSONValue.canonical(spaced) == #"{"a":[1,-2.5,true,{},[]],"b":null}"#)
  }

  @Test("every text that lacks its end is refused there", arguments: accepted)
  func truncatedText_isRefused(text: String, value: JSONValue) {
    let whole = Array("[\(text)]".utf8)
    for length in 0..<whole.count {
      #expect(throws: JSONError(reason: .unexpectedEnd, offset: length)) { try Self.parse(Array(whole[..<length])) }
    }
  }

  @Test(
    "§2: whatever follows the value is refused",
    arguments: ["\u{0}", "\u{B}", "\u{FEFF}", "x", "1", "\"", ",", ":", "]", "}", "[]", "//", "null"])
  func trailingBytes_areRefused(tail: String) {
    for (text, _) in Self.accepted {
      let end = text.utf8.count + 2
      #expect(throws: JSONError(reason: .trailingBytes, offset: end)) { try Self.parse("[\(text)]\(tail)") }
      #expect(throws: JSONError(reason: .trailingBytes, offset: end + 2)) { try Self.parse("[\(text)] \n\(tail)") }
    }
  }

  static let refused: [(text: String, reason: JSONError.Reason, offset: Int)] = [
    // §2, §3
    ("", .unexpectedEnd, 0), (" \n", .unexpectedEnd, 2), ("\u{FEFF}1", .unexpectedByte, 0),
    ("\u{0}", .unexpectedByte, 0),
    ("\u{B}1", .unexpectedByte, 0), ("\u{C}1", .unexpectedByte, 0), ("\u{A0}1", .unexpectedByte, 0),
    ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0),
    ("fals3", .unexpectedByte, 4),
    ("nullx", .trailingBytes, 4), ("truefalse", .trailingBytes, 4), ("undefined", .unexpectedByte, 0),
    ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
    ("/**/1", .unexpectedByte, 0),
    // §4
    ("{", .unexpectedEnd, 1), ("}", .unexpectedByte, 0), ("{1:2}", .unexpectedByte, 1), ("{a:1}", .unexpectedByte, 1),
    ("{null:1}", .unexpectedByte, 1), (#"{"a"}"#, .unexpectedByte, 4), (#"{"a",1}"#, .unexpectedByte, 4),
    (#"{"a":}"#, .unexpectedByte, 5), (#"{"a"::1}"#, .unexpectedByte, 5), (#"{"a":1,}"#, .unexpectedByte, 7),
    (#"{,"a":1}"#, .unexpectedByte, 1), (#"{"a":1 "b":2}"#, .unexpectedByte, 7),
    (#"{"a":1,,"b":2}"#, .unexpectedByte, 7),
    (#"{"a":1]"#, .unexpectedByte, 6), (#"{"a":1:2}"#, .unexpectedByte, 6), ("{]", .unexpectedByte, 1),
    // §5
    ("[", .unexpectedEnd, 1), ("]", .unexpectedByte, 0), ("[,]", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3),
    ("[,1]", .unexpectedByte, 1), ("[1,,2]", .unexpectedByte, 3), ("[1 2]", .unexpectedByte, 3),
    ("[1:2]", .unexpectedByte, 2),
    ("[1}", .unexpectedByte, 2), ("[}", .unexpectedByte, 1), ("[[1]", .unexpectedEnd, 4), ("[1]]", .trailingBytes, 3),
    (#"["a":1]"#, .unexpectedByte, 4), ("1,2", .trailingBytes, 1), ("1 2", .trailingBytes, 2),
    // §6
    ("-", .unexpectedEnd, 1), ("--1", .invalidNumber, 1), ("+1", .unexpectedByte, 0), ("-a", .invalidNumber, 1),
    ("00", .invalidNumber, 1), ("01", .invalidNumber, 1), ("-01", .invalidNumber, 2), ("[-]", .invalidNumber, 2),
    (".5", .unexpectedByte, 0), ("-.5", .invalidNumber, 1), ("1.", .unexpectedEnd, 2), ("[1.]", .invalidNumber, 3),
    ("1.e1", .invalidNumber, 2), ("1..2", .invalidNumber, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
    ("1ee2", .invalidNumber, 2), ("1e+-2", .invalidNumber, 3), ("1e1.5", .trailingBytes, 3),
    ("1.2.3", .trailingBytes, 3),
    ("0x1", .trailingBytes, 1), ("1_000", .trailingBytes, 1), ("1-", .trailingBytes, 1),
    ("\u{661}", .unexpectedByte, 0),
    // §7
    (#"""#, .unexpectedEnd, 1), (#""a"#, .unexpectedEnd, 2), (#""\""#, .unexpectedEnd, 3),
    (#""\x41""#, .invalidEscape, 2),
    (#""\'""#, .invalidEscape, 2), (#""\0""#, .invalidEscape, 2), (#""\N""#, .invalidEscape, 2),
    (#""\U0041""#, .invalidEscape, 2),
    (#""\u""#, .invalidEscape, 3), (#""\u004""#, .invalidEscape, 6), (#""\u00g0""#, .invalidEscape, 5),
    (#""\u{41}""#, .invalidEscape, 3), (#""\u 041""#, .invalidEscape, 3), (#""\u+041""#, .invalidEscape, 3),
    ("\"\\\u{E9}\"", .invalidEscape, 2), ("\"\\\n\"", .invalidEscape, 2), ("\"a\nb\"", .controlCharacter, 2),
    ("\"\t\"", .controlCharacter, 1), ("\"\u{0}\"", .controlCharacter, 1), ("\"\u{1F}\"", .controlCharacter, 1),
    ("{\"a\u{8}\":1}", .controlCharacter, 3),
    (#""\ud83d\ude0""#, .invalidEscape, 12), (#""\ud83d\ude""#, .invalidEscape, 11), (#""\ud83d\u"#, .unexpectedEnd, 9),
    (#""\ud83d\"#, .unexpectedEnd, 8), (#""\ud83d\x""#, .invalidEscape, 8),
  ]

  @Test("what the grammar does not know is refused where it stands", arguments: refused)
  func otherText_isRefused(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(reason: reason, offset: offset)) { try Self.parse(text) }
  }

  /// Halves of surrogate pairs (§8.2), and what they are read as.
  static let halves: [(text: String, value: String)] = [
    (#"\udc00"#, "\u{FFFD}"), (#"\uDFFF\ud800"#, "\u{FFFD}\u{FFFD}"), (#"\ud800"#, "\u{FFFD}"),
    (#"\ud800a"#, "\u{FFFD}a"), (#"\ud800\n"#, "\u{FFFD}\n"), (#"\ud800\\u"#, "\u{FFFD}\\u"),
    (#"\ud800\\udc00"#, "\u{FFFD}\\udc00"), (#"\ud800\ud800"#, "\u{FFFD}\u{FFFD}"),
    (#"\ud800\u0041"#, "\u{FFFD}A"), (#"\uDBFF\uE000"#, "\u{FFFD}\u{E000}"),
    (#"\ud800\ud83d\ude00"#, "\u{FFFD}\u{1F600}"), (#"half \ud83d"#, "half \u{FFFD}"),
  ]

  @Test("§8.2: half a surrogate pair is read as U+FFFD, in a value and in a key", arguments: halves)
  func halfPair_isReplaced(text: String, value: String) throws {
    let element = try JSONElement(parsing: "{\"\(text)\":\"\(text)\",\"next\":[1]}")
    let member = try #require(element[value])
    #expect(member.string.map { haveSameUTF8($0, value) } == true)
    #expect(member.isString(value))
    #expect(!member.isString(value + "?"))
    #expect(element["next"]?.count == 1)
    #expect(member.source == "\"\(text)\"")
  }

  @Test("a reader of names that must stay apart refuses half a surrogate pair", arguments: halves)
  func halfPair_isRefusedOnDemand(text: String, value: String) {
    var reader = JSONReader(limits: JSONLimits(takesHalfPairs: false))
    let error = #expect(throws: JSONError.self) { try reader.read("[\"\(text)\"]") }
    #expect(error?.reason == .loneSurrogate)
    #expect(throws: Never.self) { try reader.read(#"["\ud83d\ude00"]"#) }
  }

  @Test("every control character in a string is refused", arguments: 0..<0x20 as Range<UInt8>)
  func controlCharacter_isRefused(byte: UInt8) {
    #expect(throws: JSONError(reason: .controlCharacter, offset: 2)) { try Self.parse([0x22, 0x61, byte, 0x22]) }
  }

  @Test("every character after a backslash but nine is refused", arguments: 0...0xFF as ClosedRange<UInt8>)
  func unknownEscape_isRefused(byte: UInt8) throws {
    let text = Array("\"\\".utf8) + [byte] + Array("0041\"".utf8)
    if Array(#""\/bfnrtu"#.utf8).contains(byte) {
      #expect(throws: Never.self) { try Self.parse(text) }
    } else {
      #expect(throws: JSONError(reason: .invalidEscape, offset: 2)) { try Self.parse(text) }
    }
  }

  /// What is no UTF-8 (RFC 3629 §3 and §4, Unicode 3.9), and where its first wrong byte is.
  static let notUTF8: [(bytes: [UInt8], offset: Int)] = [
    ([0x80], 0), ([0xBF], 0), ([0xFF], 0), ([0xFE], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0),
    ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xED, 0xA0, 0x80], 0),
    ([0xED, 0xBF, 0xBF], 0), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xC3], 0),
    ([0xC3, 0x41], 0), ([0xE2, 0x82], 0), ([0xE2, 0x82, 0x41], 0), ([0xF0, 0x9F, 0x98], 0),
    ([0x61, 0xC3, 0xA9, 0xFF], 3), ([0xC3, 0xA9, 0xA9], 2),
  ]

  @Test("§8.1: a string that is not UTF-8 is refused, as a value and as a key", arguments: notUTF8)
  func invalidUTF8_isRefused(bytes: [UInt8], offset: Int) {
    let text = #"[{"a\n"#.utf8.count + offset
    #expect(throws: JSONError(reason: .invalidUTF8, offset: 1 + offset)) { try Self.parse([0x22] + bytes + [0x22]) }
    #expect(throws: JSONError(reason: .invalidUTF8, offset: text)) {
      try Self.parse(Array(#"[{"a\n"#.utf8) + bytes + Array(#"":1}]"#.utf8))
    }
  }

  @Test("outside strings, bytes above 127 are refused", arguments: [0x80, 0xA0, 0xC3, 0xEF, 0xFF] as [UInt8])
  func highByte_isRefused(byte: UInt8) {
    #expect(throws: JSONError(reason: .unexpectedByte, offset: 0)) { try Self.parse([byte]) }
    #expect(throws: JSONError(reason: .trailingBytes, offset: 1)) { try Self.parse([0x31, byte]) }
    #expect(throws: JSONError(reason: .unexpectedByte, offset: 1)) { try Self.parse([0x5B, byte, 0x5D]) }
  }

  // MARK: Depth

  @Test("512 nested arrays and objects are read, the 513th is refused", arguments: ["[", #"{"a":"#, #"[{"b":"#])
  func depth_isLimited(opening: String) throws {
    let levels = opening == #"[{"b":"# ? 2 : 1
    func nested(_ count: Int) -> String {
      let closing = String(opening.reversed().compactMap { $0 == "[" ? "]" : $0 == "{" ? "}" : nil })
      return String(repeating: opening, count: count) + "1" + String(repeating: closing, count: count)
    }
    #expect(throws: Never.self) { try Self.parse(nested(512 / levels)) }
    let offset = 512 / levels * opening.utf8.count
    #expect(throws: JSONError(reason: .tooDeep, offset: offset)) { try Self.parse(nested(512 / levels + 1)) }
    #expect(throws: JSONError(reason: .tooDeep, offset: offset)) { try Self.parse(nested(100_000)) }
  }

  @Test("what is closed does not count as depth")
  func siblings_areNotDepth() throws {
    let pair = "[" + String(repeating: "[[]],{\"a\":{}},", count: 1000) + "1]"
    var reader = JSONReader(limits: JSONLimits(depth: 3))
    #expect(try reader.read(pair).root.count == 2001)
    var shallow = JSONReader(limits: JSONLimits(depth: 2))
    #expect(throws: JSONError(reason: .tooDeep, offset: 2)) { try shallow.read(pair) }
    var flat = JSONReader(limits: JSONLimits(depth: 0))
    #expect(try flat.read("1").root.integer() == 1)
    #expect(throws: JSONError(reason: .tooDeep, offset: 0)) { try flat.read("[]") }
  }

  private static func parse(_ text: String) throws(JSONError) { try parse(Array(text.utf8)) }

  private static func parse(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader()
    _ = try reader.read(bytes.span)
  }
}
