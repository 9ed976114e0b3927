import Testing

@testable import Wire

@Suite("The names of the protocol")
struct MessageKeyTests {
  @Test("the subprotocol and its largest number are what clients elsewhere know them as")
  func constants_haveTheirValues() {
    #expect(subprotocol == "riblet.v1.json")
    #expect(largestNumber == 9_007_199_254_740_991)
  }

  @Test(
    "a string is compared to the byte, its escapes resolved",
    arguments: [
      (#""rev""#, true), (#""\u0072ev""#, true), (#""r\u0065v""#, true), (#""Rev""#, false), (#""re""#, false),
      (#""revs""#, false), (#""\u0072e""#, false), (#""""#, false), ("1", false), ("null", false), (#"["rev"]"#, false),
      (#"{"rev":1}"#, false),
    ])
  func string_isCompared(text: String, isSame: Bool) throws {
    #expect(try JSONElement(parsing: text).isString("rev" as StaticString) == isSame)
  }

  @Test(
    "a number is a whole one from 0 to 2^53-1",
    arguments: [
      ("0", 0), ("-0", 0), ("1", 1), ("1.0", 1), ("1e3", 1000), ("9007199254740991", 9_007_199_254_740_991),
      ("9007199254740991.0", 9_007_199_254_740_991), ("9007199254740992", nil), ("9007199254740992.0", nil),
      ("-1", nil),
      ("0.5", nil), ("1e16", nil), ("1e400", nil), (#""1""#, nil), ("true", nil), ("null", nil), ("[]", nil),
    ] as [(String, Int?)])
  func number_isHeldToItsRange(text: String, number: Int?) throws {
    #expect(try JSONElement(parsing: text).messageNumber == number)
  }

  @Test("a member is found by a constant as by a string, and the last one counts")
  func member_isFound() throws {
    let json = try JSONElement(parsing: #"{"rev":1,"n":2,"\u0072ev":3}"#)
    #expect(json["rev" as StaticString]?.integer() == 3)
    #expect(json["n" as StaticString]?.integer() == 2)
    #expect(json["x" as StaticString] == nil)
    #expect(try JSONElement(parsing: "[1]")["rev" as StaticString] == nil)
  }

  @Test("keys and kinds need no escaping, for they are written as they are")
  func keys_areWrittenAsTheyAre() {
    let text = JSONWriter.text { json in
      json.beginObject()
      json.key(MessageKey.acknowledgement)
      json.string(MessageKind.hello)
      json.key(MessageKey.kind)
      json.integer(1)
      json.endObject()
    }
    #expect(text == #"{"ack":"hello","t":1}"#)
  }
}
