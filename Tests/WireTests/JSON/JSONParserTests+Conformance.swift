import Testing

@testable import Wire

/// What RFC 8259 says, section by section, and what it leaves to the reader.
///
/// What a reader may decide, and what this one does:
///
/// | the RFC leaves open | this reader |
/// |---|---|
/// | §4: keys that occur twice | takes the text; the last one counts |
/// | §6: numbers beyond a double, such as `1e400` | takes the text; as a number of any type it is an error |
/// | §6: numbers below a double, such as `1e-400` | takes the text; it is 0 |
/// | §6: integers beyond 2^53 | takes them, exactly if the type has room for them |
/// | §8.1: a byte order mark | refuses it |
/// | §8.1: other encodings than UTF-8 | refuses them |
/// | §8.2: half a surrogate pair, escaped | takes it for U+FFFD |
/// | §8.2: half a surrogate pair, as bytes | refuses it |
/// | §9: depth and size | refuses what is beyond ``JSONLimits`` |
@Suite("RFC 8259, section by section")
struct JSONConformanceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let section: String
    let bytes: [UInt8]
    /// The canonical text of the value; nil if there is none.
    let value: String?

    init(_ section: String, _ bytes: [UInt8], _ value: String?) {
      self.section = section
      self.bytes = bytes
      self.value = value
    }

    init(_ section: String, _ text: String, _ value: String?) { self.init(section, Array(text.utf8), value) }

    var testDescription: String { "§\(section) \(String(decoding: bytes.prefix(40), as: UTF8.self))" }
  }

  static let grammar: [Row] = [
    Row("2", "17", "17"), Row("2", #""alone""#, #""alone""#), Row("2", "\r\n\t true\t\n\r ", "true"),
    Row("2", "[\n\r\t 3\t,\r4 ]", "[3,4]"), Row("2", "\n{ \"k\"\t:\r\n[ ] , \"l\" : { } }", #"{"k":[],"l":{}}"#),
    Row("2", "", nil), Row("2", "   \n", nil), Row("2", "17 18", nil), Row("2", "[]]", nil), Row("2", "{}}", nil),
    Row("2", "\u{C}null", nil), Row("2", "\u{B}null", nil), Row("2", "\u{A0}null", nil), Row("2", "null\u{0}", nil),
    Row("2", "[\u{2003}]", nil), Row("2", "[\u{2028}]", nil), Row("2", "[1]//", nil), Row("2", "[1]#", nil),
    Row("2", "/* a */[1]", nil), Row("2", "[", nil), Row("2", "{", nil), Row("2", "]", nil), Row("2", "}", nil),
    Row("2", ":", nil), Row("2", ",", nil), Row("2", "(1)", nil), Row("2", "<null>", nil),
  ]

  static let values: [Row] = [
    Row("3", "true", "true"), Row("3", "false", "false"), Row("3", "null", "null"),
    Row("3", "[true,false]", "[true,false]"),
    Row("3", "True", nil), Row("3", "TRUE", nil), Row("3", "truee", nil), Row("3", "tru", nil), Row("3", "[fals]", nil),
    Row("3", "nul", nil), Row("3", "nulll", nil), Row("3", "nil", nil), Row("3", "undefined", nil),
    Row("3", "NaN", nil),
    Row("3", "-Infinity", nil), Row("3", "Inf", nil), Row("3", "word", nil), Row("3", "'single'", nil),
    Row("3", "t rue", nil), Row("3", "[true false]", nil), Row("3", "truefalse", nil),
  ]

  static let objects: [Row] = [
    Row("4", "{}", "{}"), Row("4", #"{"":{"":{}}}"#, #"{"":{"":{}}}"#), Row("4", #"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
    Row("4", #"{"k":1,"k":2,"k":3}"#, #"{"k":3}"#), Row("4", #"{"k":{"x":1},"\u006b":[]}"#, #"{"k":[]}"#),
    Row("4", #"{"\u0000":0}"#, #"{"\u0000":0}"#), Row("4", #"{"a b":"c:d,e}f"}"#, #"{"a b":"c:d,e}f"}"#),
    Row("4", #"{"a"}"#, nil), Row("4", #"{"a":}"#, nil), Row("4", #"{:1}"#, nil), Row("4", #"{"a" 1}"#, nil),
    Row("4", #"{"a":1,}"#, nil), Row("4", #"{,}"#, nil), Row("4", #"{"a":1,,"b":2}"#, nil),
    Row("4", #"{"a":1;"b":2}"#, nil),
    Row("4", #"{"a":1 "b":2}"#, nil), Row("4", #"{"a"::1}"#, nil), Row("4", #"{"a","b"}"#, nil),
    Row("4", #"{"a"=1}"#, nil),
    Row("4", #"{a:1}"#, nil), Row("4", #"{'a':1}"#, nil), Row("4", #"{1:1}"#, nil), Row("4", #"{null:1}"#, nil),
    Row("4", #"{["a"]:1}"#, nil), Row("4", #"{"a":1"#, nil), Row("4", #"{"a":1]"#, nil), Row("4", #"{"a":1}}"#, nil),
    Row("4", #"{"a":1,"b"}"#, nil), Row("4", #"{"a":1,"b":}"#, nil), Row("4", #"{"a":1,/**/"b":2}"#, nil),
  ]

  static let arrays: [Row] = [
    Row("5", "[]", "[]"), Row("5", "[[],[[]]]", "[[],[[]]]"),
    Row("5", #"[0,"a",null,{},[1]]"#, #"[0,"a",null,{},[1]]"#),
    Row("5", "[1,]", nil), Row("5", "[,1]", nil), Row("5", "[,]", nil), Row("5", "[1,,2]", nil), Row("5", "[1 2]", nil),
    Row("5", "[1;2]", nil), Row("5", "[1:2]", nil), Row("5", "[1", nil), Row("5", "[1,", nil), Row("5", "[1}", nil),
    Row("5", "[[1]", nil), Row("5", "[1]]", nil), Row("5", "1]", nil), Row("5", #"["a":1]"#, nil), Row("5", "[*]", nil),
  ]

  static let numbers: [Row] = [
    Row("6", "0", "0"), Row("6", "-0", "0"), Row("6", "0.0", "0"), Row("6", "-0.0e-0", "0"), Row("6", "7e0", "7"),
    Row("6", "1.25E+2", "125"), Row("6", "125e-2", "1.25"), Row("6", "0e00001", "0"), Row("6", "10e01", "100"),
    Row("6", "0.000001", "0.000001"), Row("6", "0.0000001", "1e-7"),
    Row("6", "999999999999999999999", "999999999999999999999"),
    Row("6", "-9223372036854775808", "-9223372036854775808"), Row("6", "9223372036854775807", "9223372036854775807"),
    Row("6", "9223372036854775808", "9223372036854775808"), Row("6", "3.141592653589793238", "3.141592653589793"),
    Row("6", "1e-400", "0"), Row("6", "-1e-400", "0"), Row("6", "0.\(String(repeating: "0", count: 400))1", "0"),
    Row("6", "+1", nil), Row("6", "--1", nil), Row("6", "-", nil), Row("6", "- 1", nil), Row("6", "00", nil),
    Row("6", "-00", nil), Row("6", "012", nil), Row("6", "-012", nil), Row("6", "1.", nil), Row("6", ".1", nil),
    Row("6", "-.1", nil), Row("6", "1.e1", nil), Row("6", "1e", nil), Row("6", "1e+", nil), Row("6", "1E-", nil),
    Row("6", "1e1.0", nil), Row("6", "1e 1", nil), Row("6", "1 e1", nil), Row("6", "1.2.3", nil),
    Row("6", "1e2e3", nil),
    Row("6", "1,000", nil), Row("6", "1_000", nil), Row("6", "0x1F", nil), Row("6", "1f", nil), Row("6", "1L", nil),
    Row("6", "0b1", nil), Row("6", "1/2", nil), Row("6", "1+1", nil), Row("6", "[-x]", nil), Row("6", "[1a]", nil),
    Row("6", "\u{FF11}", nil), Row("6", "\u{663}", nil), Row("6", "-\u{663}", nil), Row("6", "1\u{663}", nil),
  ]

  static let strings: [Row] = [
    Row("7", #""""#, #""""#), Row("7", #""\u0022\u005C\u002f""#, #""\"\\/""#), Row("7", #""/\/""#, #""//""#),
    Row("7", #""\b\f\n\r\t""#, #""\b\f\n\r\t""#), Row("7", #""\u000b\u001F\u007f""#, "\"\\u000b\\u001f\u{7F}\""),
    Row("7", #""\uD83C\uDF4B""#, "\"\u{1F34B}\""), Row("7", #""\udbff\udfff""#, "\"\u{10FFFF}\""),
    Row("7", #""\\u0041""#, #""\\u0041""#),
    Row("7", #""\\\"""#, #""\\\"""#), Row("7", "\"\u{7F}\u{85}\u{2028}\u{2029}\"", "\"\u{7F}\u{85}\u{2028}\u{2029}\""),
    Row("7", #"""#, nil), Row("7", #""open"#, nil), Row("7", #""\""#, nil), Row("7", #""a"b"#, nil),
    Row("7", #""\a""#, nil), Row("7", #""\v""#, nil), Row("7", #""\0""#, nil), Row("7", #""\'""#, nil),
    Row("7", #""\x20""#, nil), Row("7", #""\ ""#, nil), Row("7", #""\U0041""#, nil), Row("7", #""\u""#, nil),
    Row("7", #""\u12""#, nil), Row("7", #""\u12G4""#, nil), Row("7", #""\u-123""#, nil), Row("7", #""\u{1F34B}""#, nil),
    Row("7", "\"\\\n\"", nil), Row("7", "\"\\\u{1F34B}\"", nil), Row("7", "\"two\nlines\"", nil),
    Row("7", "\"a\tb\"", nil),
    Row("7", "\"\u{0}\"", nil), Row("7", "\"\u{1B}[0m\"", nil), Row("7", "\\u0022a\\u0022", nil),
    Row("7", "\u{201C}a\u{201D}", nil),
  ]

  static let encoding: [Row] = [
    Row("8.1", "\"z\u{DF}\u{6C34}\u{1F34B}\"", "\"z\u{DF}\u{6C34}\u{1F34B}\""),
    Row("8.1", "\"\u{FEFF}\"", "\"\u{FEFF}\""), Row("8.1", [0xEF, 0xBB, 0xBF, 0x5B, 0x5D], nil),
    Row("8.1", [0xEF, 0xBB, 0xBF], nil),
    Row("8.1", [0xFE, 0xFF, 0x00, 0x31], nil), Row("8.1", [0xFF, 0xFE, 0x31, 0x00], nil),
    Row("8.1", [0x31, 0x00], nil),
    Row("8.1", [0x00, 0x31], nil), Row("8.1", [0x00, 0x00, 0x00, 0x31], nil), Row("8.1", [0x22, 0xE9, 0x22], nil),
    Row("8.1", [0x22, 0x80, 0x22], nil), Row("8.1", [0x22, 0xC0, 0xAF, 0x22], nil),
    Row("8.1", [0x22, 0xE0, 0x80, 0xAF, 0x22], nil),
    Row("8.1", [0x22, 0xF4, 0x91, 0x80, 0x80, 0x22], nil), Row("8.1", [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], nil),
    Row("8.1", [0x22, 0xE6, 0xB0, 0x22], nil), Row("8.1", [0x22, 0xFF, 0x22], nil), Row("8.1", [0xE9], nil),
    Row("8.1", [0x5B, 0xFF, 0x5D], nil), Row("8.1", [0x7B, 0x22, 0xE9, 0x22, 0x3A, 0x31, 0x7D], nil),
    Row("8.1", [0x22, 0x5C, 0xC3, 0xA9, 0x22], nil), Row("8.1", [0x22, 0x5C, 0x75, 0x30, 0x30, 0xC3, 0xA9, 0x22], nil),
    Row("8.2", #""\uD83C""#, "\"\u{FFFD}\""), Row("8.2", #""\uDF4B""#, "\"\u{FFFD}\""),
    Row("8.2", #""\uDF4B\uD83C""#, "\"\u{FFFD}\u{FFFD}\""),
    Row("8.2", #""\uD83C\uD83C\uDF4B""#, "\"\u{FFFD}\u{1F34B}\""),
    Row("8.2", #""\uD83Cx\uDF4B""#, "\"\u{FFFD}x\u{FFFD}\""),
    Row("8.2", #""\uD83C\n\uDF4B""#, "\"\u{FFFD}\\n\u{FFFD}\""),
    Row("8.2", #""\uD83C\u0041""#, "\"\u{FFFD}A\""), Row("8.2", #""\uD83C\\uDF4B""#, "\"\u{FFFD}\\\\uDF4B\""),
    Row("8.2", #"{"\uDF4B":1}"#, "{\"\u{FFFD}\":1}"),
    Row("8.2", [0x22, 0xED, 0xA0, 0xBC, 0xED, 0xBD, 0x8B, 0x22], nil), Row("8.2", [0x22, 0xED, 0xBD, 0x8B, 0x22], nil),
  ]

  @Test("§2 Grammar", arguments: grammar)
  func grammar_isKept(row: Row) throws { try expectValue(of: row) }

  @Test("§3 Values", arguments: values)
  func values_areKnown(row: Row) throws { try expectValue(of: row) }

  @Test("§4 Objects", arguments: objects)
  func objects_areRead(row: Row) throws { try expectValue(of: row) }

  @Test("§5 Arrays", arguments: arrays)
  func arrays_areRead(row: Row) throws { try expectValue(of: row) }

  @Test("§6 Numbers", arguments: numbers)
  func numbers_areRead(row: Row) throws { try expectValue(of: row) }

  @Test("§7 Strings", arguments: strings)
  func strings_areRead(row: Row) throws { try expectValue(of: row) }

  @Test("§8.1 Character encoding, §8.2 Unicode characters", arguments: encoding)
  func encoding_isUTF8(row: Row) throws { try expectValue(of: row) }

  /// The row alone, as an element and as a member: where a value may stand, it means the same, or is refused.
  private func expectValue(of row: Row) throws {
    let inArray = Array("[0,".utf8) + row.bytes + Array(",{}]".utf8)
    let inObject = Array(#"{"a":[],"b":"#.utf8) + row.bytes + Array("}".utf8)
    guard let value = row.value else {
      for bytes in [row.bytes, inArray, inObject] {
        #expect(throws: JSONError.self) { try Self.text(of: bytes) }
      }
      return
    }
    #expect(haveSameUTF8(try Self.text(of: row.bytes), value))
    #expect(haveSameUTF8(try Self.text(of: inArray), "[0,\(value),{}]"))
    #expect(haveSameUTF8(try Self.text(of: inObject), #"{"a":[],"b":\#(value)}"#))
  }

  private static func text(of bytes: [UInt8]) throws(JSONError) -> String {
    var reader = JSONReader()
    return JSONValue(try reader.read(bytes.span).root).text
  }

  // MARK: §6

  @Test(
    "§6: a number too large for a double is read, and is none of any type", arguments: ["1e309", "-1e309", "9e99999"])
  func hugeNumber_hasNoValue(text: String) throws {
    let element = try JSONElement(parsing: text)
    #expect(element.kind == .number)
    #expect(element.double == nil)
    #expect(element.float == nil)
    #expect(element.integer(Int64.self) == nil)
    #expect(element.integer(UInt128.self) == nil)
    #expect(element.source == text)
  }

  @Test(
    "§6: integers beyond 2^53 are exact",
    arguments: [Int64.min, .min + 1, -9_007_199_254_740_993, 9_007_199_254_740_993, .max - 1, .max])
  func largeInteger_isExact(integer: Int64) throws {
    #expect(try JSONElement(parsing: "\(integer)").integer(Int64.self) == integer)
    #expect(try JSONValue(parsing: "[\(integer)]") == .array([.integer(integer)]))
    #expect(JSONValue.integer(integer).text == "\(integer)")
  }

  // MARK: §8.3

  @Test("§8.3: strings are compared by their code units, escapes resolved")
  func strings_areComparedByCodeUnits() throws {
    let object = try JSONElement(parsing: #"{"a\\b":1,"\u0061\u005C\u0063":2}"#)
    #expect(object["a\\b"]?.integer(Int.self) == 1)
    #expect(object["a\\c"]?.integer(Int.self) == 2)
    #expect(try JSONValue.canonical(#"{"a\\b":1,"a\u005Cb":2}"#) == #"{"a\\b":2}"#)
  }

  @Test("§8.3: what is written with other characters is another string, though it looks the same")
  func equivalentStrings_areNotTheSame() throws {
    let text = "{\"\u{E9}\":\"\u{E9}\",\"e\u{301}\":\"e\u{301}\"}"
    let element = try JSONElement(parsing: text)
    #expect(element["\u{E9}"]?.isString("\u{E9}") == true)
    #expect(element["e\u{301}"]?.isString("\u{E9}") == false)
    let value = JSONValue(element)
    #expect(haveSameUTF8(value.text, "{\"e\u{301}\":\"e\u{301}\",\"\u{E9}\":\"\u{E9}\"}"))
    #expect(value["\u{E9}"] != value["e\u{301}"])
  }

  // MARK: §9

  @Test("§9: size is held to the limit, to the byte")
  func size_isLimited() throws {
    var reader = JSONReader(limits: JSONLimits(bytes: 8))
    #expect(try reader.read("[12,345]").root.count == 2)
    #expect(throws: JSONError(reason: .tooLong, offset: 8)) { try reader.read("[12,345] ") }
    #expect(try reader.read("1").root.integer(Int.self) == 1)
  }

  @Test("§9: depth is held to the limit, however the levels are mixed", arguments: [1, 2, 64, 512])
  func depth_isLimited(limit: Int) throws {
    func nested(_ levels: Int) -> String {
      let opening = (0..<levels).map { $0.isMultiple(of: 2) ? "[" : #"{"k":"# }
      let closing = (0..<levels).reversed().map { $0.isMultiple(of: 2) ? "]" : "}" }
      return opening.joined() + "0" + closing.joined()
    }
    var reader = JSONReader(limits: JSONLimits(depth: limit))
    #expect(try JSONValue(reader.read(nested(limit)).root).text == nested(limit))
    let error = #expect(throws: JSONError.self) { try reader.read(nested(limit + 1)) }
    #expect(error?.reason == .tooDeep)
  }

  // MARK: §10

  @Test("§10: every character is written so that it is read again, and by Foundation too")
  func everyScalar_isWritten() throws {
    for start in stride(from: UInt32(0), to: 0x11_0000, by: 0x1000) {
      let scalars = (start..<start + 0x1000).compactMap(Unicode.Scalar.init)
      let string = String(String.UnicodeScalarView(scalars))
      let text = JSONWriter.text { $0.string(string) }
      let read = try JSONElement(parsing: text).string ?? ""
      #expect(haveSameUTF8(read, string), "from \(start)")
      // As a C program that knows nothing of Unicode sees it: no quote, backslash or control character by itself.
      #expect(!text.utf8.dropFirst().dropLast().contains { $0 < 0x20 })
    }
  }
}
