import Logging
import Testing

@testable import RibServer
@testable import Wire

@Suite struct ErrandTests {
  @Test(arguments: [
    (#"{"t":"hello","app":"a"}"#, "hello params"), (#"{"t":"act","n":1,"to":1,"a":1}"#, "act a"),
    (#"{"t":"back","n":1,"to":1}"#, "back to"), (#"{"t":"share","scope":"act"}"#, "share scope"),
    (#"{"t":"auth","token":""}"#, "auth token"), (#"{"t":"ack","rev":0,"n":0}"#, "ack"),
    (#"{"t":"resync"}"#, "resync"), (#"{"t":"check"}"#, "check"), (#"{"t":"ping"}"#, "ping"), (#"{"t":"bye"}"#, "bye"),
  ])
  func message_isNamedWithItsField(text: String, names: String) throws {
    var reader = JSONReader()
    #expect(Self.names(try ClientMessage(reader.read(text).root).errand) == names)
  }

  @Test func requestIsNamed_jobIsNot() {
    #expect([Errand.head, .body, .job].map(Self.names) == ["request head", "request body", ""])
  }

  private static func names(_ errand: Errand) -> String {
    [errand.metadata["message"], errand.metadata["field"]].compactMap { $0.map { "\($0)" } }.joined(separator: " ")
  }
}
