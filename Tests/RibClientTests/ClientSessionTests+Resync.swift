import RibClient
import Testing
import Wire
import WireHash

/// A view that is not the server's any more.
@Suite struct ClientSessionResyncTests {
  private static let good = #"{"op":"replace","path":"/count","value":5}"#
  private static let snap = #"{"t":"snap","epoch":"E","rev":9,"n":0,"view":{"count":9}}"#

  private static func patch(_ operations: String = "", base: Int = 1, number: Int = 0, hash: String? = nil) -> String {
    let hash = hash.map { ",\"hash\":\"\($0)\"" } ?? ""
    return "{\"t\":\"patch\",\"rev\":\(base + 1),\"base\":\(base),\"n\":\(number),\"ops\":[\(operations)]\(hash)}"
  }

  private static func hash(_ count: Int) -> String {
    JSONValue.object(["count": .integer(Int64(count))]).canonicalHash
  }

  private func expectAsBefore(_ session: ClientSession, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(session.view == .object(["count": .integer(0)]), sourceLocation: sourceLocation)
    #expect(session.revision == 1, sourceLocation: sourceLocation)
  }

  // MARK: What does not fit

  @Test(arguments: [0, 2, 7]) func patch_forAnotherRevision_isNotApplied(base: Int) throws {
    var session = try ClientSession.shown()
    let events = try session.receive(text: Self.patch(Self.good, base: base))
    #expect(events == [.outOfStep(.otherBase(base, revision: 1))])
    expectAsBefore(session)
    #expect(try session.resync(at: 0).map(text) == #"{"t":"resync"}"#)
  }

  @Test(arguments: [
    #"{"op":"replace","path":"/gone","value":1}"#, #"{"op":"remove","path":"/gone"}"#,
    #"{"op":"add","path":"/gone/inside","value":1}"#, #"{"op":"move","from":"/gone","path":"/count"}"#,
  ])
  func patch_thatDoesNotApplyWhole_isNotApplied(operation: String) throws {
    var session = try ClientSession.shown()
    try session.act("a")
    let action = session.outbox[0]
    let events = try session.receive(text: Self.patch("\(Self.good),\(operation)", number: 1))
    guard case .outOfStep(.notApplicable) = events.first else {
      Issue.record("\(events)")
      return
    }
    // Nothing half applied is shown, and what the server has done it has done.
    #expect(events.dropFirst() == [.applied(action)])
    expectAsBefore(session)
    #expect(session.outbox == [] && session.coveredNumber == 1)
    #expect(try session.resync(at: 0) != nil)
  }

  @Test func patch_beforeTheFirstSnapshot_isNotApplied() throws {
    var session = try ClientSession.live()
    let events = try session.receive(text: Self.patch(#"{"op":"add","path":"","value":1}"#, base: 0))
    #expect(events == [.outOfStep(.noView)])
    #expect(session.view == nil && session.revision == 0)
    #expect(try session.resync(at: 0) != nil)
  }

  // MARK: Hashes

  @Test func hash_thatIsTheViews_isAnnounced() throws {
    var session = try ClientSession.shown()
    let answer = #"{"t":"patch","rev":1,"base":1,"n":0,"ops":[],"hash":"\#(Self.hash(0))"}"#
    #expect(try session.receive(text: answer) == [.verified(revision: 1)])
    let events = try session.receive(text: Self.patch(Self.good, hash: Self.hash(5)))
    #expect(events == [.view(changes: [.replace(JSONPointer(["count"]), .integer(5))]), .verified(revision: 2)])
    #expect(try session.resync(at: 0) == nil)
  }

  @Test func hash_thatIsAnothers_asksForTheView() throws {
    for hash in [Self.hash(0), Self.hash(5).uppercased(), "", "0f"] {
      var session = try ClientSession.shown()
      try session.act("a")
      let action = session.outbox[0]
      let events = try session.receive(text: Self.patch(Self.good, number: 1, hash: hash))
      #expect(events == [.outOfStep(.otherHash(revision: 2)), .applied(action)])
      expectAsBefore(session)
      #expect(try session.resync(at: 0) != nil)
    }
  }

  // MARK: Until the snapshot

  @Test func resync_isSentOnce() throws {
    var session = try ClientSession.shown()
    #expect(try session.resync(at: 0) == nil)
    _ = try session.receive(text: Self.patch(base: 2))
    #expect(try session.resync(at: 0) != nil)
    #expect(try session.resync(at: 0) == nil)
    // Nor is it for what else does not fit meanwhile.
    let events = try session.receive(text: Self.patch(Self.good, base: 3, hash: "0f"))
    #expect(events == [])
    #expect(try session.resync(at: 90_000) == nil)
    _ = try session.receive(text: Self.snap)
    #expect(try session.resync(at: 90_000) == nil)
    // The next time is another one.
    let again = try session.receive(text: Self.patch(base: 3))
    #expect(again == [.outOfStep(.otherBase(3, revision: 9))])
    #expect(try session.resync(at: 90_000) != nil)
  }

  @Test(arguments: [true, false]) func patches_countForActionsOnly_untilTheSnapshot(isAsked: Bool) throws {
    var session = try ClientSession.shown()
    try session.act("a", "b", "c")
    let actions = session.outbox
    _ = try session.receive(text: Self.patch(base: 2))
    if isAsked { _ = try session.resync(at: 0) }
    // It would fit, but one before it did not.
    #expect(try session.receive(text: Self.patch(Self.good, number: 1)) == [.applied(actions[0])])
    let nack = Nack(number: 2, code: .failed, message: "no")
    #expect(
      try session.receive(text: #"{"t":"nack","n":2,"code":"failed","message":"no"}"#) == [.refused(actions[1], nack)])
    expectAsBefore(session)
    // Actions can be sent all the time, and acknowledge what the client has.
    #expect(text(try session.act(.string("d"), to: .id(1))).hasSuffix(#""ack":{"rev":1,"n":2}}"#))
    let snap = #"{"t":"snap","epoch":"E","rev":9,"n":3,"view":{"count":9}}"#
    #expect(try session.receive(text: snap) == [.view(changes: nil), .applied(actions[2])])
    #expect(session.view == .object(["count": .integer(9)]) && session.revision == 9)
    #expect(session.outboxNumbers == [4])
    let patch = try session.receive(text: Self.patch(Self.good, base: 9, number: 4))
    #expect(patch.count == 2 && session.view == .object(["count": .integer(5)]))
  }

  @Test func number_ofAPatchThatIsIgnored_isStillChecked() throws {
    var session = try ClientSession.shown()
    _ = try session.receive(text: Self.patch(base: 2))
    #expect(try session.failure(on: Self.patch(number: 1)) == "n is 1, the last action is 0.")
  }

  // MARK: How often

  @Test func seventhResync_inAMinute_endsTheConnection() throws {
    var session = try ClientSession.shown()
    for time in 0..<6 {
      _ = try session.receive(text: Self.patch(base: 2))
      #expect(try session.resync(at: time * 10_000) != nil)
      _ = try session.receive(text: Self.snap)
    }
    _ = try session.receive(text: Self.patch(base: 2))
    #expect(throws: ClientError.tooManyResyncs) { try session.resync(at: 59_999) }
    // Another connection does not make it forget.
    session.disconnected()
    _ = try session.resume()
    _ = try session.receive(text: welcomeText().replacing(#""resumed":false"#, with: #""resumed":true"#))
    _ = try session.receive(text: Self.patch(base: 2))
    #expect(throws: ClientError.tooManyResyncs) { try session.resync(at: 59_999) }
    #expect(try session.resync(at: 60_000) != nil)
  }

  // MARK: Coming back

  @Test(arguments: [true, false]) func clientThatWasOutOfStep_comesBackWithoutAView(isAsked: Bool) throws {
    var session = try ClientSession.shown()
    _ = try session.receive(text: Self.patch(base: 2))
    if isAsked { _ = try session.resync(at: 0) }
    session.disconnected()
    #expect(text(try session.resume()).hasSuffix(#""epoch":"E","rev":0}}"#))
    _ = try session.receive(text: welcomeText().replacing(#""resumed":false"#, with: #""resumed":true"#))
    #expect(text(try session.ack()) == #"{"t":"ack","rev":0,"n":0}"#)
    #expect(try session.resync(at: 0) == nil)
    #expect(try session.receive(text: Self.snap) == [.view(changes: nil)])
    #expect(session.view == .object(["count": .integer(9)]) && session.revision == 9)
  }
}
