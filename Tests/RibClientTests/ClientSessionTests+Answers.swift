import RibClient
import Testing
import Wire

/// Snapshots, patches and what they say of the outbox.
extension ClientSessionTests {
  @Test func snap_isTheView() throws {
    var session = try ClientSession.live()
    let events = try session.receive(text: #"{"t":"snap","epoch":"E","rev":5,"n":0,"view":{"root":1}}"#)
    #expect(events == [.view(changes: nil)])
    #expect(session.view == .object(["root": .integer(1)]))
    #expect(session.revision == 5)
  }

  @Test func snap_replacesTheViewAndCoversActions() throws {
    var session = try ClientSession.shown()
    try session.act("a", "b", "c")
    let (first, second) = (session.outbox[0], session.outbox[1])
    let events = try session.receive(text: #"{"t":"snap","epoch":"E","rev":9,"n":2,"view":[]}"#)
    #expect(events == [.view(changes: nil), .applied(first), .applied(second)])
    #expect(session.view == .array([]))
    #expect(session.revision == 9)
    #expect(session.coveredNumber == 2)
    #expect(session.outboxNumbers == [3])
  }

  @Test func patch_changesTheViewAndCoversActions() throws {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    let first = session.outbox[0]
    let events = try session.receive(
      text: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"replace","path":"/count","value":4}]}"#)
    #expect(events == [.view(changes: [.replace(JSONPointer(["count"]), .integer(4))]), .applied(first)])
    #expect(session.view == .object(["count": .integer(4)]))
    #expect(session.revision == 2)
    #expect(session.coveredNumber == 1)
    #expect(session.outboxNumbers == [2])
  }

  @Test func patch_withoutOperations_coversActionsOnly() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let first = session.outbox[0]
    #expect(try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#) == [.applied(first)])
    #expect(session.view == .object(["count": .integer(0)]))
    #expect(session.revision == 2)
  }

  @Test func patch_ofOtherClients_leavesTheOutbox() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let events = try session.receive(
      text: #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[{"op":"add","path":"/x","value":null}]}"#)
    #expect(events == [.view(changes: [.add(JSONPointer(["x"]), .null)])])
    #expect(session.outboxNumbers == [1])
  }

  @Test func messages_inAnArray_areTakenOneByOne() throws {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    let actions = session.outbox
    let events = try session.receive(
      text: """
        [{"t":"patch","rev":2,"base":1,"n":1,"ops":[]},{"t":"pong"},{"t":"novelty"},
         {"t":"patch","rev":3,"base":2,"n":2,"ops":[{"op":"replace","path":"/count","value":1}]}]
        """)
    #expect(
      events == [
        .applied(actions[0]), .view(changes: [.replace(JSONPointer(["count"]), .integer(1))]), .applied(actions[1]),
      ])
    #expect(session.revision == 3)
    #expect(try session.receive(text: "[]") == [])
  }

  @Test func greeting_inOneArray_isTaken() throws {
    var session = ClientSession()
    _ = session.hello(app: "counter")
    let events = try session.receive(
      text: #"[\#(welcomeText()),{"t":"snap","epoch":"E","rev":1,"n":0,"view":{}}]"#)
    #expect(events == [.live(try #require(session.welcome)), .view(changes: nil)])
  }

  // MARK: Refusals

  @Test func nack_refusesItsAction() throws {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    let (first, second) = (session.outbox[0], session.outbox[1])
    #expect(
      try session.receive(text: #"{"t":"nack","n":1,"code":"gone","message":"no node"}"#)
        == [.refused(first, Nack(number: 1, code: .gone, message: "no node"))])
    #expect(session.coveredNumber == 1)
    #expect(session.revision == 1)
    #expect(
      try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":2,"ops":[]}"#) == [.applied(second)])
    #expect(session.outbox == [])
  }

  @Test func nack_thatIsRepeated_isNoNews() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let nack = #"{"t":"nack","n":1,"code":"bad_action","message":""}"#
    #expect(try session.receive(text: nack).count == 1)
    #expect(try session.receive(text: nack) == [])
  }

  @Test func nack_ofALaterAction_neverTurnsIntoSuccess() throws {
    var session = try ClientSession.shown()
    try session.act("a", "b")
    let (first, second) = (session.outbox[0], session.outbox[1])
    let events = try session.receive(text: #"{"t":"nack","n":2,"code":"failed","message":"no"}"#)
    #expect(events == [.applied(first), .refused(second, Nack(number: 2, code: .failed, message: "no"))])
    #expect(session.outbox == [])
  }

  // MARK: What means nothing

  @Test(arguments: [#"{"t":"pong"}"#, #"{"t":"novelty"}"#, #"{"t":"novelty","durability":"none"}"#])
  func message_thatSaysNothingToThisClient_isIgnored(message: String) throws {
    var session = try ClientSession.shown()
    try session.act("a")
    #expect(try session.receive(text: message) == [])
    #expect(session.outboxNumbers == [1])
    #expect(session.revision == 1)
    #expect(session.view == .object(["count": .integer(0)]))
  }

  @Test func unknownKeys_areIgnored() throws {
    var session = try ClientSession.shown()
    let events = try session.receive(
      text: #"{"t":"patch","rev":2,"base":1,"n":0,"hish":"0f","ops":[{"op":"remove","path":"/count","x":1}]}"#)
    #expect(events == [.view(changes: [.remove(JSONPointer(["count"]))])])
  }

  // MARK: What is said besides

  @Test func share_noticeAndDrain_areTold() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let events = try session.receive(
      text: """
        [{"t":"share","token":"J","expires":600000},{"t":"notice","durability":"none"},
         {"t":"notice","durability":"disk"},{"t":"drain","within":5000}]
        """)
    #expect(
      events == [.shared(token: "J", expires: 600_000), .notice(.none), .notice(.disk), .draining(within: 5000)])
    // All goes on until the `bye`.
    let last = try session.receive(text: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#)
    #expect(last.count == 1 && session.outbox == [])
  }

  @Test func snap_ofAnotherLife_isTakenAtAnyTime() throws {
    var session = try ClientSession.shown()
    let snap = try session.receive(text: #"{"t":"snap","epoch":"F","rev":1,"n":0,"view":{"count":7}}"#)
    #expect(snap == [.view(changes: nil)])
    #expect(session.view == .object(["count": .integer(7)]))
    // What follows is counted in the new life, and so is what the client comes back with.
    let patch = try session.receive(
      text: #"{"t":"patch","rev":2,"base":1,"n":0,"ops":[{"op":"replace","path":"/count","value":8}]}"#)
    #expect(patch.count == 1 && session.revision == 2)
    session.disconnected()
    #expect(text(try session.resume()).hasSuffix(#""epoch":"F","rev":2}}"#))
  }

  // MARK: The end

  @Test func bye_endsTheSession() throws {
    var session = try ClientSession.shown()
    try session.act("a")
    #expect(
      try session.receive(text: #"{"t":"bye","code":"shutdown","message":"later"}"#)
        == [.ended(.shutdown, message: "later")])
    #expect(session.welcome == nil)
    // What is left has an unknown outcome, and the last view can still be looked at.
    #expect(session.outboxNumbers == [1])
    #expect(session.view == .object(["count": .integer(0)]))
    #expect(try session.failure(on: #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#).contains("out of turn"))
  }

  @Test func bye_insteadOfWelcome_endsTheSession() throws {
    var session = ClientSession()
    _ = session.hello(app: "nothing")
    #expect(
      try session.receive(text: #"{"t":"bye","code":"unknown_app","message":"no"}"#)
        == [.ended(.unknownApp, message: "no")])
    #expect(try session.failure(on: welcomeText()).contains("out of turn"))
  }

  @Test func bye_withACodeFromTheFuture_endsTheSession() throws {
    var session = try ClientSession.shown()
    #expect(try session.receive(text: #"{"t":"bye","code":"eclipse"}"#) == [.ended(nil, message: "")])
    #expect(session.welcome == nil)
  }
}
