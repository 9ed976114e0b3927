import RibCore
import Testing
import Wire

@testable import RibServer

@Suite struct LinkMessageTests {
  @Test func messages_areReadAsTheyAreWritten() throws {
    var reader = JSONReader()
    for message: LinkMessage in [
      .beat(reachesStore: true, published: 0), .beat(reachesStore: false, published: 7),
      .want(LinkMessage.Want(number: 7, sessionID: "a\"b", claim: SessionClaim())),
      .want(LinkMessage.Want(number: 8, sessionID: "a", claim: SessionClaim(tokenHash: "h", client: 2, attempt: 3))),
      .have(number: 7, .free), .have(number: 8, .relay), .drain(within: 3), .end(published: 9),
      .publication(number: 3, NamedPublication(topic: "a", key: Array("[1]".utf8), value: Array(#"{"b":"c\n"}"#.utf8))),
      .publication(number: 4, NamedPublication(topic: "a", value: nil)),
      .presence(.rollBegins), .presence(.rollEnds), .presence(.rollWanted),
      .presence(
        .change(
          PresenceChange(name: "a\n", joined: [Array("1".utf8), Array(#"{"b":[2]}"#.utf8)], left: [Array("null".utf8)]))
      ),
      .presence(.change(PresenceChange(name: "a", joined: [], left: []))),
      .value(NamedValue(name: "a", version: 7, value: Array(#"{"b":[2]}"#.utf8))),
    ] {
      #expect(LinkMessage(try reader.read(message.json.span).root) == message)
    }
  }

  @Test func answerThatIsUnknown_letsGoOfNothing() throws {
    var reader = JSONReader()
    let json = try reader.read(Array(#"{"t":"have","q":1,"a":"news"}"#.utf8).span).root
    #expect(LinkMessage(json) == .have(number: 1, .relay))
  }

  /// A newer version may say them.
  @Test(arguments: [
    #"{"t":"news"}"#, #"{}"#, #"[]"#, #"{"t":"want","q":1}"#,
    #"{"t":"have","q":"1","a":"free"}"#, #"{"t":"who","is":"news"}"#, #"{"t":"who"}"#, #"{"t":"val","name":"a","n":1}"#,
  ])
  func otherMessages_areNone(text: String) throws {
    var reader = JSONReader()
    #expect(LinkMessage(try reader.read(Array(text.utf8).span).root) == nil)
  }
}
