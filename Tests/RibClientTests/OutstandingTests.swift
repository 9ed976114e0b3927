import RibClient
import Testing
import Wire

struct OutstandingTests {
  @Test func action_readsAsItWasTyped() {
    #expect(ClientSession.Outstanding.Action.act(.object(["b": .null, "a": .integer(1)])).text == #"{"a":1,"b":null}"#)
    #expect(ClientSession.Outstanding.Action.back.text == "back")
  }
}
