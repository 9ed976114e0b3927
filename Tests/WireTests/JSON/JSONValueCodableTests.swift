import Testing

@testable import Wire

@Suite struct JSONValueCodableTests {
  static let texts = [
    "null", "true", "0", "-7", "1.5", #""""#, #""text""#, "[]", #"[1,"a",null,[{}]]"#, "{}",
    #"{"a":{"b":["c",1.25,false]},"d":"e"}"#, "9223372036854775807",
    // What a number looks like in a state that JSON has none for.
    #""Infinity""#, #""nan""#, #""1e400""#,
  ]

  @Test(arguments: texts) func value_comesBack(text: String) throws {
    let value = try JSONValue(parsing: text)
    let encoded = String(decoding: try StateCoder.encode(value), as: UTF8.self)
    #expect(try JSONValue(parsing: encoded) == value)
    #expect(try StateCoder.decode(JSONValue.self, from: try StateCoder.read(text)) == value)
  }

  @Test(arguments: [Double.nan, .infinity]) func numberThatJSONDoesNotHave_isAnError(number: Double) {
    #expect(throws: CaptureError.self) { try StateCoder.encode(JSONValue.number(number)) }
  }

  /// As the payload of an action, where a string could be an enum's case.
  @Test(arguments: texts) func value_isReadInAnAction(text: String) throws {
    enum Action: Decodable, Equatable { case set(JSONValue) }
    let action: Action = try ActionDecoder.decode(from: try StateCoder.read(#"{"set":\#(text)}"#))
    #expect(action == .set(try JSONValue(parsing: text)) || text == "{}" || text == "null")
  }
}
