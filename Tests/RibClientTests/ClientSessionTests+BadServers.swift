import RibClient
import Testing
import Wire

/// A server that breaks the protocol.
extension ClientSessionTests {
  @Test(arguments: [0, 2, 7])
  func patch_forAnotherRevision_isBad(base: Int) throws {
    var session = try ClientSession.shown()
    let reason = try session.failure(on: #"{"t":"patch","rev":8,"base":\#(base),"n":0,"ops":[]}"#)
    #expect(reason == "A patch for revision \(base), the mirror has 1.")
    #expect(session.revision == 1)
    #expect(session.view == .object(["count": .integer(0)]))
  }

  @Test(arguments: [
    #"{"op":"replace","path":"/gone","value":1}"#, #"{"op":"remove","path":"/gone"}"#,
    #"{"op":"add","path":"/gone/inside","value":1}"#, #"{"op":"move","from":"/gone","path":"/count"}"#,
  ])
  func patch_thatDoesNotApply_isBad(operation: String) throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let good = #"{"op":"replace","path":"/count","value":5}"#
    let reason = try session.failure(on: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[\#(good),\#(operation)]}"#)
    #expect(reason.hasPrefix("A patch does not apply: the document has no place \"/gone"))
    // Nothing half applied is shown, and no action counts as done.
    #expect(session.view == nil)
    #expect(session.outboxNumbers == [1])
    #expect(session.coveredNumber == 0)
  }

  @Test func patch_beforeTheFirstSnapshot_isBad() throws {
    var session = try ClientSession.live()
    let reason = try session.failure(
      on: #"{"t":"patch","rev":1,"base":0,"n":0,"ops":[{"op":"add","path":"","value":1}]}"#)
    #expect(reason == "A patch before the first snapshot.")
  }

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
    #"{"t":"snap","epoch":"E","rev":1,"n":0}"#, #"{"t":"nack","n":1,"code":"eclipse","message":""}"#,
  ])
  func message_thatIsNone_isBad(message: String) throws {
    var session = try ClientSession.shown()
    #expect(try session.failure(on: message) != "")
    #expect(session.view == .object(["count": .integer(0)]))
    #expect(session.revision == 1)
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
    for message in [snap, nack, #"{"t":"patch","rev":1,"base":0,"n":0,"ops":[]}"#] {
      #expect(try greeting.failure(on: message).hasPrefix("A message came out of turn: {\"t\""))
    }
    var live = try ClientSession.shown()
    #expect(try live.failure(on: welcomeText()).hasPrefix("A message came out of turn: {\"t\""))
  }
}
