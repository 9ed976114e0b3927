import Testing
import Wire

struct TracedActionTests {
  private enum Action: Decodable {
    case enter(name: String, pin: Pin)
    case change(Pin, to: [Pin], notes: [String: Int]?)
    case only(Pin)
    case perhaps(pin: Pin?)
    case leave
    case count(Int)
  }

  /// Decodes an action, and returns what a recording has of it.
  private func recorded<Value: Decodable>(_ json: String, as type: Value.Type = Action.self) throws -> String {
    var reader = JSONReader()
    let action = TracedAction(try reader.read(json).root)
    _ = try? ActionDecoder.decode(type, from: action.element)
    return action.recorded
  }

  @Test(arguments: [
    (#"{"enter":{"name":"Ada","pin":"1234"}}"#, #"{"enter":{"name":"Ada","pin":null}}"#),
    (#"{"only":"1234"}"#, #"{"only":null}"#),
    (#"{"only":{"_0":"1234"}}"#, #"{"only":{"_0":null}}"#),
    (
      #"{"change":{"_0":"1","to":["2","3"],"notes":{"a":1}}}"#,
      #"{"change":{"_0":null,"to":[null,null],"notes":{"a":1}}}"#
    ),
    (#"{"perhaps":{}}"#, #"{"perhaps":{}}"#),
    (#"{"perhaps":{"pin":null}}"#, #"{"perhaps":{"pin":null}}"#),
  ])
  func secret_isNull(json: String, expected: String) throws {
    #expect(try recorded(json) == expected)
  }

  @Test(arguments: [#""leave""#, #"{"leave":{}}"#, #"{"count":5}"#, #"{"count":{"_0":-1e2}}"#])
  func action_withoutSecret_isKeptAsItIs(json: String) throws {
    #expect(try recorded(json) == json)
  }

  /// What a client has sent besides, misspelt or sent twice might be the secret.
  @Test(arguments: [
    (#"{"enter":{"name":"Ada","pin":"1234","pni":"1234"}}"#, #"{"enter":{"name":"Ada","pin":null}}"#),
    (#"{"enter":{"pin":"1234","name":"Ada","pin":"1"}}"#, #"{"enter":{"name":"Ada","pin":null}}"#),
    (#"{"perhaps":{"pni":"1234"}}"#, #"{"perhaps":{}}"#),
    (#"{"leave":{"pin":["1234"]}}"#, #"{"leave":{}}"#),
  ])
  func whatWasNotRead_isLeftOut(json: String, expected: String) throws {
    #expect(try recorded(json) == expected)
  }

  @Test(arguments: [
    #"{"enter":{"name":1234,"pin":"1234"}}"#, #"{"enter":{"pin":"1234"}}"#, #"{"enter":{"name":"Ada","pin":["1234"]}}"#,
    #"{"1234":{}}"#, #""1234""#, "1234", #"["1234"]"#, "null", #"{"leave":{},"1234":1}"#,
  ])
  func action_thatDoesNotDecode_isNull(json: String) throws {
    #expect(try recorded(json) == "null")
  }

  @Test func action_thatNobodyDecodes_isNull() throws {
    var reader = JSONReader()
    #expect(TracedAction(try reader.read(#"{"leave":{}}"#).root).recorded == "null")
  }

  @Test func elements_thatWereNotRead_areNull() throws {
    struct First: Decodable {
      init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        _ = try elements.decode(Int.self)
      }
    }
    #expect(try recorded(#"[1,"1234"]"#, as: First.self) == "[1,null]")
  }

  @Test func everyJSON_isReadWhole() throws {
    let json = #"{"a":[1,{"b":null,"c":2.50}]}"#
    #expect(try recorded(json, as: JSONValue.self) == json)
  }

  @Test func document_ofTheAction_staysUnwatched() throws {
    var reader = JSONReader()
    let action = try reader.read(#"{"only":"1234"}"#).root
    _ = TracedAction(action)
    _ = try ActionDecoder.decode(Action.self, from: action)
    #expect(TracedAction(action).recorded == "null")
  }
}
