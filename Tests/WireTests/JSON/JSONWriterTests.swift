import Foundation
import RibTestSupport
import Testing

@testable import Wire

@Suite("RFC 8259 and RFC 8785 Writing JSON")
struct JSONWriterTests {
  // MARK: Strings: RFC 8785 §3.2.2.2

  static let strings: [(string: String, text: String)] = [
    ("", #""""#), ("abc", #""abc""#), ("\"\\/", #""\"\\/""#), ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
    ("\u{0}\u{1}\u{7}\u{B}\u{E}\u{1B}\u{1F}", #""\u0000\u0001\u0007\u000b\u000e\u001b\u001f""#),
    ("\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}", "\"\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\""),
    ("\u{E9}e\u{301}\u{1F600}\u{10FFFF}", "\"\u{E9}e\u{301}\u{1F600}\u{10FFFF}\""), ("a\"b\"c", #""a\"b\"c""#),
    ("\r\n", #""\r\n""#), ("\u{20AC}$\u{F}\nA'B\"\\\\\"/", #""€$\u000f\nA'B\"\\\\\"/""#),
  ]

  @Test("§3.2.2.2: only what must be is escaped, in one form", arguments: strings)
  func string_isEscaped(string: String, text: String) throws {
    #expect(haveSameUTF8(JSONWriter.text { $0.string(string) }, text))
    #expect(haveSameUTF8(JSONWriter.text { $0.key(string) }, text + ":"))
    #expect(haveSameUTF8(try #require(JSONElement(parsing: text).string), string))
  }

  @Test("every character below 256 comes back")
  func everyCharacter_comesBack() throws {
    for code in UInt8.min...UInt8.max {
      let string = "<\(Character(Unicode.Scalar(code)))>"
      let text = JSONWriter.text { $0.string(string) }
      #expect(haveSameUTF8(try #require(JSONElement(parsing: text).string), string))
      #expect(text.utf8.allSatisfy { $0 >= 0x20 })
    }
  }

  @Test("a string that Foundation holds is written as any other")
  func bridgedString_isWritten() {
    let bridged = NSMutableString(string: "a\n\u{E9}") as String
    #expect(JSONWriter.text { $0.string(bridged) } == "\"a\\n\u{E9}\"")
  }

  // MARK: Numbers

  static let doubles: [(double: Double, text: String)] = [
    (0, "0"), (-0.0, "-0"), (1, "1"), (-1, "-1"), (10, "10"), (0.1, "0.1"), (-2.5, "-2.5"), (1e15, "1000000000000000"),
    (9_007_199_254_740_991, "9007199254740991"), (1e16, "10000000000000000"), (1e-4, "0.0001"), (1e-5, "0.00001"),
    (1e22, "1e+22"),
    (1e23, "1e+23"), (0.1 + 0.2, "0.30000000000000004"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (2.2250738585072014e-308, "2.2250738585072014e-308"), (123_456.789, "123456.789"), (100, "100"),
    (1 / 3, "0.3333333333333333"),
  ]

  @Test("a double is written as the shortest number that means it", arguments: doubles)
  func double_isWritten(double: Double, text: String) throws {
    #expect(JSONWriter.text { $0.number(double) } == text)
    #expect(try JSONElement(parsing: text).double?.bitPattern == double.bitPattern)
  }

  static let floats: [(float: Float, text: String)] = [
    (0, "0"), (-0.0, "-0"), (3, "3"), (0.1, "0.1"), (16_777_216, "16777216"), (3e8, "300000000"), (1 / 3, "0.33333334"),
    (.greatestFiniteMagnitude, "3.4028235e+38"), (.leastNonzeroMagnitude, "1e-45"),
  ]

  @Test("a float is written in its own shortest form, not a double's", arguments: floats)
  func float_isWritten(float: Float, text: String) throws {
    #expect(JSONWriter.text { $0.number(float) } == text)
    #expect(try JSONElement(parsing: text).float?.bitPattern == float.bitPattern)
  }

  @Test("5,000 doubles of any bits come back, and with a digit less would not", arguments: TestRun.seeds(11))
  func anyDouble_comesBackFromItsFewestDigits(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<5000 {
      let double = Double(bitPattern: generator.next())
      guard double.isFinite else { continue }
      let text = JSONWriter.text { $0.number(double) }
      #expect(try JSONElement(parsing: text).double?.bitPattern == double.bitPattern, "seed \(seed): \(double)")
      let significant = "\(double)".prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
      let digits = significant.reversed().drop { $0 == "0" }.count
      guard digits > 1 else { continue }
      let shorter = String(format: "%.\(digits - 2)e", double)
      #expect(Double(shorter) != double, "seed \(seed): \(shorter) is \(text)")
    }
  }

  @Test("a number that JSON has not is the caller's fault")
  func notANumber_traps() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.number(Double.nan)
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.number(-Float.infinity)
    }
  }

  @Test("integers of every width are written whole")
  func integer_isWritten() {
    let text = JSONWriter.text { json in
      json.integer(0)
      json.integer(Int8.min)
      json.integer(UInt8.max)
      json.integer(Int64.min)
      json.integer(UInt64.max)
      json.integer(Int128.min)
      json.integer(UInt128.max)
      json.integer(-10)
    }
    let digits = "0,-128,255,-9223372036854775808,18446744073709551615,-170141183460469231731687303715884105728"
    #expect(text == digits + ",340282366920938463463374607431768211455,-10")
  }

  // MARK: Structure

  @Test("commas come where they belong and nowhere else")
  func commas_comeByThemselves() throws {
    let text = JSONWriter.text { json in
      json.beginObject()
      json.key("a")
      json.beginArray()
      json.endArray()
      json.key("b")
      json.beginArray()
      json.null()
      json.bool(true)
      json.bool(false)
      json.beginObject()
      json.endObject()
      json.beginArray()
      json.string("[")
      json.string(",")
      json.integer(1)
      json.number(1.5)
      json.endArray()
      json.raw("{}")
      json.raw(Array("[1]".utf8))
      json.escapedString(Array("\\n".utf8))
      json.raw(quoted: "q", then: nil)
      json.endArray()
      json.raw(quoted: "c", then: UInt8(ascii: ":"))
      json.raw("null")
      json.key("{")
      json.string("{")
      json.key("last")
      json.beginObject()
      json.endObject()
      json.endObject()
    }
    let values = #"null,true,false,{},["[",",",1,1.5],{},[1],"\n","q""#
    #expect(text == #"{"a":[],"b":[\#(values)],"c":null,"{":"{","last":{}}"#)
    #expect(throws: Never.self) { try JSONValue(parsing: text) }
  }

  @Test("what is taken back leaves no trace, not even its comma")
  func truncate_takesBack() {
    var json = JSONWriter()
    json.beginArray()
    json.integer(1)
    let count = json.count
    json.beginObject()
    json.key("a")
    json.truncate(to: count)
    #expect(json.text == "[1")
    json.integer(2)
    json.endArray()
    json.truncate(to: json.count)
    #expect(json.text == "[1,2]")
    #expect(json.count == 5)
    json.truncate(to: 0)
    json.integer(3)
    #expect(json.text == "3")
    json.removeAll()
    #expect(json.count == 0)
    json.null()
    #expect(json.text == "null")
  }
}
