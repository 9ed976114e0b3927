import Testing
import Wire

@testable import ribctl

struct ActionLineTests {
  @Test(arguments: [
    ("increment", #"{"increment":{}}"#),
    ("  increment \t", #"{"increment":{}}"#),
    ("select 2", #"{"select":2}"#),
    ("select \t 2", #"{"select":2}"#),
    (#"rename "two words""#, #"{"rename":"two words"}"#),
    (#"rename {"to": "x y"}"#, #"{"rename":{"to":"x y"}}"#),
    ("mark [1, 2]", #"{"mark":[1,2]}"#),
    ("clear null", #"{"clear":null}"#),
    (#"{"select":{"_0":2}}"#, #"{"select":{"_0":2}}"#),
    (#""increment""#, #""increment""#),
  ])
  func line_withoutAddress_isForTheRoot(line: String, action: String) throws {
    let parsed = try ActionLine(parsing: line)
    #expect(parsed.address == nil)
    #expect(parsed.action.text == action)
  }

  @Test(
    arguments: [
      ("#7 increment", .id(7), #"{"increment":{}}"#),
      (#"#12 rename {"to":"x"}"#, .id(12), #"{"rename":{"to":"x"}}"#),
      (#"#7 {"select":{"_0":2}}"#, .id(7), #"{"select":{"_0":2}}"#),
      (#"@tabs[0] open "42""#, .path("tabs[0]"), #"{"open":"42"}"#),
      ("  @detail/inner   close", .path("detail/inner"), #"{"close":{}}"#),
      ("@ close", .path(""), #"{"close":{}}"#),
    ] as [(String, NodeAddress, String)])
  func line_withAddress_isForThatNode(line: String, address: NodeAddress, action: String) throws {
    let parsed = try ActionLine(parsing: line)
    #expect(parsed.address == address)
    #expect(parsed.action.text == action)
  }

  @Test(arguments: ["", "   ", "#7", "#7  ", "@detail"])
  func line_withoutAction_isRefused(line: String) {
    #expect(throws: ActionLineError(reason: "There is no action.")) { try ActionLine(parsing: line) }
  }

  @Test(arguments: ["#", "#x", "#0", "#-1", "#1.5", "#99999999999999999999"])
  func line_withAnImpossibleID_isRefusedByName(address: String) {
    #expect(throws: ActionLineError(reason: "\"\(address)\" is no node: write # and its id.")) {
      try ActionLine(parsing: "\(address) increment")
    }
  }

  @Test(arguments: ["select two", "select {", "select 1 2", #"{"select":"#, #""increment"#, #"{"a":1} x"#])
  func line_withBrokenJSON_isRefusedWithItsText(line: String) throws {
    let error = try #require(throws: ActionLineError.self) { try ActionLine(parsing: line) }
    let json = line.hasPrefix("select ") ? String(line.dropFirst(7)) : line
    #expect(error.reason.hasPrefix("\(json) is no JSON: "))
    #expect(error.description == error.reason)
  }

  @Test func text_withoutQuotes_isRefusedWithThem() {
    let error = #expect(throws: ActionLineError.self) { try ActionLine(parsing: "add Buy milk") }
    #expect(
      error?.reason == """
        Buy milk is no JSON: unexpected character, at byte 0. Text is written in quotes: add "Buy milk"
        """)
  }
}
