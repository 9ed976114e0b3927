import RibClient
import Testing
import Wire

/// What a client sends, and when it may; what it makes of answers is in the extensions.
struct ClientSessionTests {
  // MARK: Greeting

  @Test func hello_namesTheApp() {
    var session = ClientSession()
    #expect(text(session.hello(app: "counter")) == #"{"t":"hello","app":"counter","client":{}}"#)
    var other = ClientSession()
    let client = ClientInfo(name: "web", version: "2", locale: "nb-NO")
    #expect(
      text(other.hello(app: "a", parameters: .object(["id": .integer(7)]), client: client))
        == #"{"t":"hello","app":"a","params":{"id":7},"client":{"name":"web","version":"2","locale":"nb-NO"}}"#)
  }

  @Test func join_namesATokenOnly() throws {
    var session = ClientSession()
    let client = ClientInfo(name: "web")
    #expect(text(session.join(token: "J", client: client)) == #"{"t":"hello","client":{"name":"web"},"share":"J"}"#)
    expectNotLive(&session)
    let events = try session.receive(text: welcomeText().replacing(#""cid":1"#, with: #""cid":2"#))
    #expect(events == [.live(try #require(session.welcome))])
    _ = try session.receive(text: #"{"t":"snap","epoch":"E","rev":5,"n":0,"view":{"count":4}}"#)
    try session.act("a")
    session.disconnected()
    // It comes back as any other: the token is used up, and it has an app already.
    #expect(
      text(try session.resume())
        == #"{"t":"hello","client":{},"resume":{"sid":"S","cid":2,"token":"T","try":1,"epoch":"E","rev":5}}"#)
  }

  @Test func join_thatIsRefused_endsTheSession() throws {
    var session = ClientSession()
    _ = session.join(token: "J")
    let events = try session.receive(text: #"{"t":"bye","code":"denied","message":"used up"}"#)
    #expect(events == [.ended(.denied, message: "used up")])
    #expect(throws: ClientError.notLive) { try session.resume() }
    var lost = ClientSession()
    _ = lost.join(token: "J")
    lost.disconnected()
    #expect(throws: ClientError.notLive) { try lost.resume() }
  }

  @Test func welcome_makesTheSessionLive() throws {
    var session = ClientSession()
    _ = session.hello(app: "counter")
    #expect(session.welcome == nil)
    let events = try session.receive(text: welcomeText(messageBytes: 100))
    let welcome = try #require(session.welcome)
    #expect(events == [.live(welcome)])
    #expect(welcome.sessionID == "S")
    #expect(welcome.limits.messageBytes == 100)
    #expect(session.view == nil)
  }

  // MARK: Before and after

  @Test func sending_beforeWelcome_isNotLive() throws {
    var session = ClientSession()
    expectNotLive(&session)
    _ = session.hello(app: "counter")
    expectNotLive(&session)
    _ = try session.receive(text: welcomeText())
    _ = try session.act(.string("increment"), to: .id(1))
    #expect(session.outboxNumbers == [1])
  }

  @Test func sending_afterTheEnd_isNotLive() throws {
    var session = try ClientSession.shown()
    _ = try session.receive(text: #"{"t":"bye","code":"ended","message":"over"}"#)
    expectNotLive(&session)
  }

  private func expectNotLive(_ session: inout ClientSession) {
    let before = session.outbox
    #expect(throws: ClientError.notLive) { try session.act(.string("increment"), to: .id(1)) }
    #expect(throws: ClientError.notLive) { try session.back(to: .id(1)) }
    #expect(throws: ClientError.notLive) { try session.ack() }
    #expect(throws: ClientError.notLive) { try session.resync(at: 0) }
    #expect(throws: ClientError.notLive) { try session.check() }
    #expect(throws: ClientError.notLive) { try session.share(.view) }
    #expect(throws: ClientError.notLive) { try session.ping() }
    #expect(throws: ClientError.notLive) { try session.bye() }
    #expect(session.outbox == before)
    #expect(session.welcome == nil)
  }

  // MARK: Actions

  @Test func act_isNumberedAndKept() throws {
    var session = try ClientSession.shown()
    #expect(
      text(try session.act(.string("increment"), to: .id(7)))
        == #"{"t":"act","n":1,"to":7,"a":"increment","ack":{"rev":1,"n":0}}"#)
    #expect(
      text(try session.act(.object(["select": .integer(2)]), to: .path("tabs[0]")))
        == #"{"t":"act","n":2,"to":"tabs[0]","a":{"select":2},"ack":{"rev":1,"n":0}}"#)
    #expect(session.outbox.map(\.number) == [1, 2])
    #expect(session.outbox.map(\.to) == [.id(7), .path("tabs[0]")])
    #expect(session.outbox.map(\.action) == [.act(.string("increment")), .act(.object(["select": .integer(2)]))])
  }

  @Test func back_isAnActionOfItsOwn() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    #expect(text(try session.back(to: .id(7))) == #"{"t":"back","n":2,"to":7,"ack":{"rev":1,"n":0}}"#)
    #expect(text(try session.back(to: .path("tabs[0]"))).hasPrefix(#"{"t":"back","n":3,"to":"tabs[0]","#))
    #expect(session.outbox.map(\.action) == [.act(.string("a")), .back, .back])
    let backs = session.outbox.suffix(2)
    #expect(backs.map(\.to) == [.id(7), .path("tabs[0]")])
    _ = try session.receive(text: #"{"t":"patch","rev":1,"base":1,"n":1,"ops":[]}"#)
    let events = try session.receive(text: #"{"t":"patch","rev":1,"base":1,"n":3,"ops":[]}"#)
    #expect(events == backs.map { .applied($0) })
  }

  @Test func back_thatIsTooLong_usesNoNumber() throws {
    var session = try ClientSession.shown(messageBytes: 80)
    #expect(throws: ClientError.messageTooLong(limit: 80)) {
      try session.back(to: .path(String(repeating: "x", count: 80)))
    }
    #expect(session.outbox == [])
    #expect(text(try session.back(to: .id(1))).hasPrefix(#"{"t":"back","n":1,"#))
  }

  @Test func act_acknowledgesWhatWasSeen() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    _ = try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#)
    #expect(
      text(try session.act(.string("b"), to: .id(1)))
        == #"{"t":"act","n":2,"to":1,"a":"b","ack":{"rev":2,"n":1}}"#)
    #expect(text(try session.ack()) == #"{"t":"ack","rev":2,"n":1}"#)
  }

  @Test func act_thatIsTooLong_usesNoNumber() throws {
    var session = try ClientSession.shown(messageBytes: 80)
    #expect(throws: ClientError.messageTooLong(limit: 80)) {
      try session.act(.string(String(repeating: "x", count: 80)), to: .id(1))
    }
    #expect(session.outbox == [])
    #expect(text(try session.act(.string("a"), to: .id(1))).hasPrefix(#"{"t":"act","n":1,"#))
    #expect(session.outboxNumbers == [1])
  }

  @Test func act_mayBeAsLongAsTheLimit() throws {
    let frame = try Self.length(of: "")
    var session = try ClientSession.shown(messageBytes: frame + 10)
    #expect(try session.act(.string(String(repeating: "x", count: 10)), to: .id(1)).count == frame + 10)
    #expect(throws: ClientError.messageTooLong(limit: frame + 10)) {
      try session.act(.string(String(repeating: "x", count: 11)), to: .id(1))
    }
  }

  @Test func act_withoutLimit_isNeverTooLong() throws {
    var session = try ClientSession.shown(messageBytes: 0)
    _ = try session.act(.string(String(repeating: "x", count: 1 << 20)), to: .id(1))
    #expect(session.outboxNumbers == [1])
  }

  private static func length(of action: String) throws -> Int {
    var session = try ClientSession.shown()
    return try session.act(.string(action), to: .id(1)).count
  }

  // MARK: Others

  @Test func abandonedSession_leavesOutcomesUnknown() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    _ = try session.back(to: .id(1))
    let outbox = session.outbox
    #expect(session.abandon() == outbox.map { .outcomeUnknown($0) })
    #expect(session.outbox == [] && !session.isAway)
    expectNotLive(&session)
    session.disconnected()
    #expect(throws: ClientError.notLive) { try session.resume() }
  }

  @Test func shareCheckPingAndBye_haveWhatTheyNeed() throws {
    var session = try ClientSession.shown()
    #expect(text(try session.share(.view)) == #"{"t":"share","scope":"view"}"#)
    #expect(text(try session.share(.act)) == #"{"t":"share","scope":"act"}"#)
    #expect(text(try session.check()) == #"{"t":"check"}"#)
    // What was not said before rides along, once.
    #expect(text(try session.ping()) == #"[{"t":"ack","rev":1,"n":0},{"t":"ping"}]"#)
    #expect(text(try session.ping()) == #"{"t":"ping"}"#)
    _ = try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[]}"#)
    _ = try session.ack()
    #expect(text(try session.ping()) == #"{"t":"ping"}"#)
    #expect(text(try session.bye()) == #"{"t":"bye"}"#)
  }
}
