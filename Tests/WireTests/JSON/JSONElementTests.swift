import Testing

@testable import Wire

@Suite("RFC 8259 Values as they are asked for")
struct JSONElementTests {
  // MARK: Kinds

  static let kinds: [(text: String, kind: JSONElement.Kind)] = [
    ("null", .null), ("true", .bool), ("false", .bool), ("1", .number), ("1.5", .number), (#""1""#, .string),
    (#""\n""#, .string), ("[1]", .array), (#"{"1":true}"#, .object),
  ]

  @Test("a value answers for its kind and no other", arguments: kinds)
  func value_isOfOneKind(text: String, kind: JSONElement.Kind) throws {
    let value = try JSONElement(parsing: text)
    #expect(value.kind == kind)
    #expect(value.isNull == (kind == .null))
    #expect((value.bool != nil) == (kind == .bool))
    #expect((value.double != nil) == (kind == .number))
    #expect((value.float != nil) == (kind == .number))
    #expect((value.integer(Int.self) != nil) == (text == "1"))
    #expect((value.string != nil) == (kind == .string))
    #expect((value["1"] != nil) == (kind == .object))
    #expect(value.count == (kind == .array || kind == .object ? 1 : 0))
    #expect(Array(value.elements).count == (kind == .array ? 1 : 0))
    var members = 0
    value.forEachMember { _, _ in members += 1 }
    #expect(members == (kind == .object ? 1 : 0))
    #expect(value.source == text)
  }

  @Test("true is true and false is false")
  func bool_isRead() throws {
    #expect(try JSONElement(parsing: "true").bool == true)
    #expect(try JSONElement(parsing: "false").bool == false)
  }

  // MARK: Integers: RFC 8259 §6

  @Test("§6: every integer type reads its own range, exactly")
  func integer_isReadUpToItsBorders() throws {
    try expectBorders(Int8.self)
    try expectBorders(UInt8.self)
    try expectBorders(Int16.self)
    try expectBorders(UInt16.self)
    try expectBorders(Int32.self)
    try expectBorders(UInt32.self)
    try expectBorders(Int64.self)
    try expectBorders(UInt64.self)
    try expectBorders(Int.self)
    try expectBorders(UInt.self)
    try expectBorders(Int128.self)
    try expectBorders(UInt128.self)
  }

  private func expectBorders<T: FixedWidthInteger>(_ type: T.Type) throws {
    for value in [T.max, T.max - 1, T.max / 2, 100, 10, 9, 1, 0, T.min / 2, T.min + 1, T.min] {
      #expect(try JSONElement(parsing: "\(value)").integer() == value)
    }
    for text in [next("\(T.max)"), "\(T.max)0", T.min == 0 ? "-1" : "-" + next("\(T.min.magnitude)"), "-\(T.max)0"] {
      #expect(try JSONElement(parsing: text).integer(T.self) == nil, "\(text) as \(type)")
    }
    #expect(try JSONElement(parsing: "-0").integer(T.self) == 0)
    #expect(try JSONElement(parsing: "1" + String(repeating: "0", count: 1000)).integer(T.self) == nil)
  }

  /// The decimal number above.
  private func next(_ digits: String) -> String {
    let kept = digits.reversed().prefix { $0 == "9" }.count
    guard let raised = digits.dropLast(kept).last?.wholeNumberValue else {
      return "1" + digits.map { _ in "0" }.joined()
    }
    return digits.dropLast(kept + 1) + "\(raised + 1)" + String(repeating: "0", count: kept)
  }

  static let wholeNumbers: [(text: String, integer: Int?)] = [
    ("1.0", 1), ("-1.0", -1), ("1e2", 100), ("1E+2", 100), ("1.5e1", 15), ("1500e-2", 15), ("0.0", 0), ("-0.0", 0),
    ("0e9", 0), ("10.00", 10), ("4.35e2", 435), ("9007199254740991.0", 9_007_199_254_740_991),
    ("-9007199254740991.0", -9_007_199_254_740_991),
    ("1.5", nil), ("-0.1", nil), ("1e-1", nil), ("1e400", nil), ("-1e400", nil), ("1e30", nil),
    // Doubles do not tell these from their neighbours.
    ("9007199254740993.0", 9_007_199_254_740_993), ("-9007199254740993.0", -9_007_199_254_740_993),
    ("9223372036854775807.0", .max), ("-9.223372036854775808e18", .min), ("9223372036854775808.0", nil),
    ("1.00000000000000000001", nil), ("0.99999999999999999999", nil), ("9007199254740992.5", nil),
    ("0e99999999999999999999", 0), ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil),
  ]

  @Test("§6: a whole number is an integer however it is written, and no other number is", arguments: wholeNumbers)
  func wholeNumber_isInteger(text: String, integer: Int?) throws {
    #expect(try JSONElement(parsing: text).integer(Int.self) == integer)
  }

  @Test("a whole number that does not fit the type is none")
  func wholeNumber_isHeldToItsType() throws {
    #expect(try JSONElement(parsing: "2.56e2").integer(UInt8.self) == nil)
    #expect(try JSONElement(parsing: "2.55e2").integer(UInt8.self) == 255)
    #expect(try JSONElement(parsing: "-1.0").integer(UInt.self) == nil)
  }

  // MARK: Floating point

  static let doubles: [(text: String, double: Double?)] = [
    ("0", 0), ("-0", -0.0), ("-0.0", -0.0), ("0.1", 0.1), ("1e-7", 1e-7), ("5e-324", .leastNonzeroMagnitude),
    ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ("1e-400", 0), ("-1e-400", -0.0), ("1e400", nil), ("-1e400", nil), ("1.8e308", nil),
    ("9007199254740993", 9_007_199_254_740_992), ("9007199254740995", 9_007_199_254_740_996),
    ("0." + String(repeating: "0", count: 400) + "1e401", 1), ("1" + String(repeating: "0", count: 400), nil),
    ("1e99999999999999999999", nil), ("1e-99999999999999999999", 0),
  ]

  @Test("§6: a number is the nearest double, or none if it is too large", arguments: doubles)
  func number_isNearestDouble(text: String, double: Double?) throws {
    #expect(try JSONElement(parsing: text).double?.bitPattern == double?.bitPattern)
  }

  static let floats: [(text: String, float: Float?)] = [
    ("0.1", 0.1), ("-0", -0.0), ("16777217", 16_777_216), ("3.4028235e38", .greatestFiniteMagnitude), ("3.5e38", nil),
    ("1e39", nil), ("1e-45", .leastNonzeroMagnitude), ("1e-60", 0),
    // By way of a double it would be rounded twice, to 0x1.000004p0.
    ("1.00000017881393432617187499", 0x1.000002p0),
  ]

  @Test("§6: a number is the nearest single-precision value, or none if it is too large", arguments: floats)
  func number_isNearestFloat(text: String, float: Float?) throws {
    #expect(try JSONElement(parsing: text).float?.bitPattern == float?.bitPattern)
  }

  // MARK: Strings: RFC 8259 §7 and §8.3

  static let strings: [(text: String, string: String)] = [
    (#""""#, ""), (#""abc""#, "abc"), (#""\u0061bc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0000""#, "\u{0}"), (#""\u00e9""#, "\u{E9}"), ("\"\u{E9}\"", "\u{E9}"), ("\"e\u{301}\"", "e\u{301}"),
    (#""e\u0301""#, "e\u{301}"), (#""\ud83d\ude00""#, "\u{1F600}"), (#""\uD834\udd1e""#, "\u{1D11E}"),
    (#""\uDBFF\uDFFF\ud800\udc00""#, "\u{10FFFF}\u{10000}"), (#""\uffff\ufffd""#, "\u{FFFF}\u{FFFD}"),
    (#""\\n\\u0041""#, "\\n\\u0041"), (#""a\nb\nc""#, "a\nb\nc"), (#""\u000d\n""#, "\r\n"),
  ]

  @Test("§7: a string is what its escapes stand for, to the byte", arguments: strings)
  func string_isRead(text: String, string: String) throws {
    let value = try JSONElement(parsing: text)
    #expect(haveSameUTF8(try #require(value.string), string))
    #expect(value.source == text)
    for (_, other) in Self.strings {
      #expect(value.isString(other) == haveSameUTF8(other, string), "\(text) and \(other.debugDescription)")
    }
  }

  /// The first and the last length that a string with these escapes may have.
  @Test("§7: the shortest and the longest escapes of a string are found equal to it", arguments: [1, 2, 100])
  func escapes_haveALength(count: Int) throws {
    let short = String(repeating: "a", count: count) + "\n"
    #expect(try JSONElement(parsing: "\"\(short.dropLast())\\n\"").isString(short))
    let long = String(repeating: "a", count: count)
    #expect(try JSONElement(parsing: "\"\(String(repeating: "\\u0061", count: count))\"").isString(long))
  }

  @Test("§8.3: keys are compared after their escapes are resolved")
  func key_isFoundHoweverItIsWritten() throws {
    let object = try JSONElement(parsing: #"{"\u0061":1,"b":2,"\u00e9":3,"e\u0301":4}"#)
    #expect(object["a"]?.integer() == 1)
    #expect(object["b"]?.integer() == 2)
    #expect(object["\u{E9}"]?.integer() == 3)
    #expect(object["e\u{301}"]?.integer() == 4)
    #expect(object["c"] == nil)
    #expect(object[""] == nil)
  }

  @Test("§4: of two members with one key the last counts")
  func duplicateKey_lastCounts() throws {
    let object = try JSONElement(parsing: #"{"a":1,"b":2,"a":{"a":3},"\u0061":[4],"b":5}"#)
    #expect(object["a"]?.source == "[4]")
    #expect(object["b"]?.source == "5")
    #expect(object.count == 5)
  }

  // MARK: Parts

  @Test("parts come in the order of the text, each with its own")
  func parts_comeInOrder() throws {
    let text = #"[[],[[1],{"a":[2]}],{},{"b":{"c":{}},"d":[[]]},"e",3]"#
    #expect(
      try JSONElement(parsing: text).elements.map(\.source) == [
        "[]", #"[[1],{"a":[2]}]"#, "{}", #"{"b":{"c":{}},"d":[[]]}"#, #""e""#, "3",
      ])
    var members: [String] = []
    try JSONElement(parsing: #"{"x":[[1],2],"y":{"z":{}},"":null}"#).forEachMember { key, value in
      members += [key.source, value.source]
    }
    #expect(members == [#""x""#, "[[1],2]", #""y""#, #"{"z":{}}"#, #""""#, "null"])
  }

  @Test("an error ends the walk")
  func thrownError_endsTheWalk() throws {
    struct Enough: Error {}
    var seen = 0
    #expect(throws: Enough.self) {
      try JSONElement(parsing: #"{"a":1,"b":2}"#).forEachMember { _, _ throws(Enough) in
        seen += 1
        throw Enough()
      }
    }
    #expect(seen == 1)
  }

  @Test(
    "the source of a value is its text, from its first byte to its last",
    arguments: [
      "[ ]", "{\n}", "[ 1 , [ 2 , [ ] ] ]", #"{ "a" : { "b" : [ 1 , "]" ] } , "c" : "}" }"#,
      #"[ "\"]" , { "}" : "{" } ]"#,
      "[[[]\n]\n]", #"[{"a":{}},{"b":[{}]} ]"#,
    ])
  func source_isTheTextOfTheValue(text: String) throws {
    let root = try JSONElement(parsing: " \n\(text)\t ")
    #expect(root.source == text)
    try expectSources(below: root)
  }

  private func expectSources(below value: JSONElement) throws {
    #expect(try JSONValue(parsing: value.source) == JSONValue(value))
    for element in value.elements { try expectSources(below: element) }
    try value.forEachMember { key, value in
      #expect(try JSONElement(parsing: key.source).string == key.string)
      try expectSources(below: value)
    }
  }
}
