import RibClient
import Testing
import Wire

/// A server that breaks the protocol.
extension ClientSessionTests {
  @Test(arguments: [
    #"{"t":"patch","rev":3,"base":2,"n":1,"ops":[]}"#, #"{"t":"snap","epoch":"E","rev":3,"n":1,"view":{}}"#,
    #"{"t":"nack","n":1,"code":"failed","message":""}"#,
  ])
  func number_thatGoesBack_isBad(message: String) throws {
    var session = try ClientSession.shown()
    try session.act("a", "b", "c")
    _ = try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":2,"ops":[]}"#)
    #expect(try session.failure(on: message) == "n went back from 2 to 1.")
    #expect(session.coveredNumber == 2)
    #expect(session.outboxNumbers == [3])
  }

  @Test(arguments: [
    "", "{", "nonsense", "7", "null", #""bye""#, "{}", #"{"t":7}"#, #"{"t":"patch"}"#, "[[]]", "[7]",
    #"{"t":"patch","rev":2,"base":1,"n":0,"ops":{}}"#, #"{"t":"patch","rev":-2,"base":1,"n":0,"ops":[]}"#,
    #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[{"op":"test","path":"/count","value":0}]}"#,
    #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[{"op":"remove","path":"count"}]}"#,
    #"{"t":"share","token":"J"}"#, #"{"t":"notice","durability":"tape"}"#, #"{"t":"drain"}"#,
    #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[],"hash":7}"#,
    #"{"t":"snap","epoch":"E","rev":1,"n":0}"#, #"{"t":"nack","n":1,"message":""}"#,
  ])
  func message_thatIsNone_isBad(message: String) throws {
    var session = try ClientSession.shown()
    #expect(try session.failure(on: message) != "")
    #expect(session.view == .object(["count": .integer(0)]))
    #expect(session.revision == 1)
  }

  @Test(arguments: [
    #"{"t":"patch","rev":2,"base":1,"n":3,"ops":[]}"#, #"{"t":"snap","epoch":"E","rev":3,"n":3,"view":{}}"#,
    #"{"t":"nack","n":3,"code":"failed","message":""}"#,
  ])
  func number_ofAnActionThatWasNotSent_isBad(message: String) throws {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    #expect(try session.failure(on: message) == "n is 3, the last action is 2.")
  }

  @Test func message_outOfTurn_isBad() throws {
    let snap = #"{"t":"snap","epoch":"E","rev":1,"n":0,"view":{}}"#
    var new = ClientSession()
    for message in [welcomeText(), snap, #"{"t":"bye","code":"ended"}"#] {
      #expect(try new.failure(on: message).hasPrefix("A message came out of turn: {\"t\""))
    }
    var greeting = ClientSession()
    _ = greeting.hello(app: "counter")
    let nack = #"{"t":"nack","n":1,"code":"gone","message":""}"#
    let others = [#"{"t":"share","token":"J","expires":1}"#, #"{"t":"notice","durability":"none"}"#]
    for message in [snap, nack, #"{"t":"patch","rev":1,"base":0,"n":0,"ops":[]}"#] + others {
      #expect(try greeting.failure(on: message).hasPrefix("A message came out of turn: {\"t\""))
    }
    var live = try ClientSession.shown()
    #expect(try live.failure(on: welcomeText()).hasPrefix("A message came out of turn: {\"t\""))
  }
}
