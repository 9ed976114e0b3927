import RibClient
import Testing
import Wire

/// A client that comes back.
@Suite struct ClientSessionResumingTests {
  private static func resumed(_ number: Int, nacks: String = "", session: String = "S", resumed: Bool = true) -> String
  {
    welcomeText().replacing(#""sid":"S""#, with: #""sid":"\#(session)""#)
      .replacing(
        #""n":0,"nacks":[],"resumed":false"#, with: #""n":\#(number),"nacks":[\#(nacks)],"resumed":\#(resumed)"#)
  }

  /// A session with three actions on their way, whose connection was cut.
  private static func away() throws -> ClientSession {
    var session = try ClientSession.shown()
    try session.act("a", "b", "c")
    session.disconnected()
    return session
  }

  @Test func hello_saysWhereTheClientIs() throws {
    var session = try ClientSession.live()
    let hello = { (epoch: String, revision: Int, attempt: Int) in
      #"{"t":"hello","app":"counter","client":{},"resume":{"sid":"S","cid":1,"token":"T","#
        + #""try":\#(attempt),"epoch":"\#(epoch)","rev":\#(revision)}}"#
    }
    session.disconnected()
    #expect(session.isAway && session.welcome == nil)
    // There is no view yet.
    #expect(text(try session.resume()) == hello("E", 0, 1))
    // The attempt came to nothing.
    session.disconnected()
    #expect(text(try session.resume()) == hello("E", 0, 2))
    _ = try session.receive(text: Self.resumed(0))
    _ = try session.receive(text: #"{"t":"snap","epoch":"F","rev":8,"n":0,"view":{"count":0}}"#)
    session.disconnected()
    #expect(text(try session.resume()) == hello("F", 8, 3))
  }

  @Test func query_namesTheSession_onceThereIsOne() throws {
    var session = ClientSession()
    #expect(session.query == nil)
    _ = session.join(token: "S.T")
    #expect(session.query == nil)
    _ = try session.receive(text: welcomeText())
    session.disconnected()
    #expect(session.query == SessionQuery(sessionID: "S"))
  }

  @Test func resuming_needsASession() throws {
    var new = ClientSession()
    #expect(throws: ClientError.notLive) { try new.resume() }
    new.disconnected()
    #expect(throws: ClientError.notLive) { try new.resume() }
    var live = try ClientSession.live()
    #expect(throws: ClientError.notLive) { try live.resume() }
    var greeting = try Self.away()
    _ = try greeting.resume()
    #expect(throws: ClientError.notLive) { try greeting.resume() }
    #expect(throws: ClientError.notLive) { try greeting.act(.string("d"), to: .id(1)) }
    #expect(greeting.resend().isEmpty)
  }

  @Test func actions_areAnsweredByTheWelcome_orSentAgain() throws {
    var session = try Self.away()
    #expect(session.outboxNumbers == [1, 2, 3])
    _ = try session.resume()
    let nack = #"{"n":2,"code":"bad_action","message":"no"}"#
    let events = try session.receive(text: Self.resumed(2, nacks: nack))
    guard case .refused(let refused, _) = events.first, case .applied(let applied) = events[1], case .live = events.last
    else {
      Issue.record("\(events)")
      return
    }
    #expect(refused.number == 2 && applied.number == 1 && events.count == 3)
    #expect(session.outboxNumbers == [3] && session.coveredNumber == 2)
    // Numbers go up without a gap.
    #expect(throws: ClientError.resendFirst) { try session.act(.string("early"), to: .id(1)) }
    #expect(session.outboxNumbers == [3])
    #expect(session.resend().map(text) == [#"{"t":"act","n":3,"to":1,"a":"c"}"#])
    // Once is enough, and what is new is sent as it comes.
    #expect(session.resend().isEmpty)
    #expect(text(try session.act(.string("d"), to: .id(1))).hasPrefix(#"{"t":"act","n":4,"#))
    #expect(session.resend().isEmpty)
  }

  @Test func actionsOfBothKinds_areSentAgainAsTheyWere() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    _ = try session.back(to: .path("tabs[0]"))
    _ = try session.back(to: .id(3))
    try session.act("d")
    session.disconnected()
    _ = try session.resume()
    _ = try session.receive(text: Self.resumed(1))
    #expect(throws: ClientError.resendFirst) { try session.back(to: .id(1)) }
    #expect(
      session.resend().map(text) == [
        #"{"t":"back","n":2,"to":"tabs[0]"}"#, #"{"t":"back","n":3,"to":3}"#, #"{"t":"act","n":4,"to":1,"a":"d"}"#,
      ])
    #expect(session.outbox.map(\.action) == [.back, .back, .act(.string("d"))])
  }

  @Test func view_goesOnWhereItWas() throws {
    var session = try Self.away()
    _ = try session.resume()
    _ = try session.receive(text: Self.resumed(1))
    let patch = #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"replace","path":"/count","value":5}]}"#
    let events = try session.receive(text: patch)
    #expect(events.count == 1)
    #expect(session.view?["count"] == .integer(5) && session.revision == 2)
  }

  @Test func viewOfAnotherLife_isNotAcknowledged() throws {
    var session = try ClientSession.shown()
    session.disconnected()
    _ = try session.resume()
    _ = try session.receive(text: Self.resumed(0).replacing(#""epoch":"E""#, with: #""epoch":"F""#))
    #expect(session.view?["count"] == .integer(0))
    #expect(text(try session.ack()) == #"{"t":"ack","rev":0,"n":0}"#)
  }

  @Test func lostSession_leavesOutcomesUnknown() throws {
    var session = try Self.away()
    _ = try session.resume()
    let events = try session.receive(text: #"{"t":"bye","code":"gone","message":"over"}"#)
    var unknown: [Int] = []
    for case .outcomeUnknown(let action) in events { unknown.append(action.number) }
    #expect(unknown == [1, 2, 3])
    #expect(events.first == .ended(.gone, message: "over"))
    #expect(session.outbox.isEmpty && !session.isAway)
    #expect(throws: ClientError.notLive) { try session.resume() }
  }

  @Test(arguments: [
    ("shutdown", true), ("silent", true), ("full", true), ("moved", true),
    ("unavailable", true), ("poisoned", false), ("taken", false), ("bad_message", true),
  ])
  func bye_saysWhetherToComeBack(code: String, comesBack: Bool) throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let events = try session.receive(text: #"{"t":"bye","code":"\#(code)","message":""}"#)
    #expect(session.isAway == comesBack)
    #expect(session.outboxNumbers == (comesBack ? [1] : []))
    #expect(events.count == (comesBack ? 1 : 2))
  }

  /// Ends two connections with a close frame, or with none, and no `bye`.
  ///
  /// - Returns: the messages of two actions that are sent after each end.
  private static func resent(after code: CloseCode?) throws -> [[String]] {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    var messages: [[String]] = []
    for _ in 0..<2 {
      session.disconnected(code: code)
      _ = try session.resume()
      _ = try session.receive(text: Self.resumed(0))
      messages.append(session.resend().map(text))
    }
    return messages
  }

  @Test(arguments: [1002, 1003, 1007, 1009, 4400] as [UInt16])
  func closeCodeOfAnUnreadMessage_blamesTheFirstAction(code: UInt16) throws {
    let (a, b) = (#"{"t":"act","n":1,"to":1,"a":"a"}"#, #"{"t":"act","n":2,"to":1,"a":"b"}"#)
    let withdrawn = #"{"t":"act","n":1,"to":0,"a":null}"#
    #expect(try Self.resent(after: CloseCode(rawValue: code)) == [[a, b], [withdrawn, b]])
  }

  @Test(arguments: [nil, 1000, 1001, 4000, 4100] as [UInt16?])
  func anotherEnd_blamesNoAction(code: UInt16?) throws {
    let both = [#"{"t":"act","n":1,"to":1,"a":"a"}"#, #"{"t":"act","n":2,"to":1,"a":"b"}"#]
    #expect(try Self.resent(after: code.map(CloseCode.init(rawValue:))) == [both, both])
  }

  @Test func closeCodeAfterBye_blamesOnce() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    _ = try session.receive(text: #"{"t":"bye","code":"bad_message","message":""}"#)
    session.disconnected(code: Bye.badMessage.closeCode)
    #expect(session.outbox.map(\.isWithdrawn) == [false])
  }

  @Test func otherSession_isNotTaken() throws {
    for welcome in [Self.resumed(0, session: "other"), Self.resumed(0, resumed: false)] {
      var session = try Self.away()
      _ = try session.resume()
      #expect(try session.failure(on: welcome).contains("another one"))
    }
  }

  /// A crash was worse than what the server's answers survive: what it has lost is told, and the rest goes on from there.
  @Test func actionsThatTheServerHasLost_areTold_andTheOthersNumberedAnew() throws {
    var session = try ClientSession.shown()
    let view = #"{"root":1,"nodes":{}}"#
    _ = try session.receive(text: #"{"t":"snap","epoch":"E","rev":1,"n":0,"view":\#(view)}"#)
    try session.act("a", "b", "c")
    // Node 7 may have been opened by what is lost.
    _ = try session.act(.string("x"), to: .id(7))
    try session.act("d")
    _ = try session.receive(text: #"{"t":"patch","rev":3,"base":1,"n":3,"ops":[]}"#)
    session.disconnected()
    _ = try session.resume()
    let events = try session.receive(text: Self.resumed(1))
    #expect(events.first == .lost(3))
    #expect(events.count == 2)
    #expect(session.coveredNumber == 1 && session.outboxNumbers == [2])
    #expect(session.resend().map { String(decoding: $0, as: UTF8.self) } == [#"{"t":"act","n":2,"to":1,"a":"d"}"#])
    try session.act("e")
    #expect(session.outboxNumbers == [2, 3])
    // On a connection that lasts, a number never goes back.
    #expect(try session.failure(on: #"{"t":"patch","rev":1,"base":1,"n":0,"ops":[]}"#).contains("went back"))
  }

  /// The server has lost what others have done, and has covered one action more than this client knows.
  @Test func actionsForNodesOfALostRevision_areDropped() throws {
    var session = try ClientSession.shown()
    let view = #"{"root":1,"nodes":{}}"#
    _ = try session.receive(text: #"{"t":"snap","epoch":"E","rev":9,"n":0,"view":\#(view)}"#)
    try session.act("a")
    _ = try session.act(.string("x"), to: .id(7))
    try session.act("b")
    session.disconnected()
    _ = try session.resume()
    let welcome = Self.resumed(1).replacing(#""epoch":"E""#, with: #""epoch":"F""#)
    let events = try session.receive(text: welcome)
    #expect(events.count == 3 && events[1] == .lost(1))
    #expect(session.resend().map { String(decoding: $0, as: UTF8.self) } == [#"{"t":"act","n":2,"to":1,"a":"b"}"#])
  }

  @Test func anotherEpoch_thatIsNotBehind_dropsNothing() throws {
    var session = try ClientSession.shown()
    _ = try session.act(.string("x"), to: .id(7))
    session.disconnected()
    _ = try session.resume()
    let events = try session.receive(text: Self.resumed(0).replacing(#""epoch":"E""#, with: #""epoch":"F""#))
    #expect(events.count == 1 && session.outboxNumbers == [1])
  }
}
