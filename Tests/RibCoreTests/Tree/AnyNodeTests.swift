import RibCore
import RibTesting
import Testing
import Wire

/// How nodes come and go.
struct AnyNodeTests {
  private let journal = Journal()

  // MARK: Attach

  @Test func start_activatesParentsFirst() throws {
    _ = try TestSession(Desk(detail: "a/b/c", journal: journal))
    #expect(journal.take() == ["+desk", "+a", "+b", "+c"])
  }

  @Test func attach_activatesParentsFirst() throws {
    let session = try TestSession(Desk(journal: journal))
    #expect(journal.take() == ["+desk"])
    try session.send(#"{"open":"a/b/c"}"#)
    #expect(journal.take() == ["+a", "+b", "+c"])
  }

  @Test func attach_onceMore_activatesParentsFirst() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    try session.send(#"{"close":{}}"#)
    _ = journal.take()
    try session.send(#"{"open":"a/b/c"}"#)
    #expect(journal.take() == ["+a", "+b", "+c"])
    try session.send(#"{"replace":"d/e"}"#, to: .path("detail"))
    #expect(journal.take() == ["-b", "-c", "+d", "+e"])
  }

  @Test func attach_belowANodeThatIsDetachedMeanwhile_doesNotHappen() throws {
    // x is attached, then its g; what the closer says then detaches x, before g's turn to attach h comes.
    let session = try TestSession(Closing(journal: journal))
    #expect(
      try session.send("\"open\"") == [
        #"add /nodes/3 {"state":{},"type":"Closer"}"#, "add /nodes/1/children/closer/ids/0 3",
      ])
    #expect(journal.take() == ["+x", "+g", "-x", "-g"])
    #expect(session.tree.nodeCount == 2)
  }

  // MARK: Memory

  @Test func node_thatIsDetached_isReleased() throws {
    let registry = ComponentRegistry()
    let session = try TestSession(Assembly(depth: 0, registry: registry))
    #expect(registry.alive == [0, 1, 2])
    // A failed transaction keeps what it brings back, and drops what it had made.
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    #expect(registry.alive == [0, 1, 2])
    try session.send("\"close\"", to: .path("next"))
    #expect(registry.alive == [0, 1])
    try session.send("\"close\"")
    #expect(registry.alive == [0])
  }

  @Test func nodes_areReleasedWithTheirTree() throws {
    let registry = ComponentRegistry()
    var session: TestSession? = try TestSession(Assembly(depth: 0, registry: registry))
    #expect(session?.tree.effectCount == 3)
    session = nil
    #expect(registry.alive == [])
  }

  // MARK: Detach

  @Test func detach_resignsFromTheTopDown() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    _ = journal.take()
    try session.send(#"{"close":{}}"#)
    #expect(journal.take() == ["-a", "-b", "-c"])
  }

  @Test func replace_detachesTheOldBeforeItAttachesTheNew() throws {
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    _ = journal.take()
    try session.send(#"{"replace":"c/d"}"#)
    #expect(journal.take() == ["-a", "-b", "+c", "+d"])
  }

  @Test func detach_resignsChildrenWhoseParentHasLetGoOfThem() throws {
    let session = try TestSession(Leaver(depth: 0, journal: journal))
    // What they change in their state then is not shown any more.
    #expect(
      try session.send("\"close\"") == ["remove /nodes/1/children/next/ids/0", "remove /nodes/2", "remove /nodes/3"])
    #expect(journal.take() == ["-1", "-2"])
    #expect(session.tree.nodeCount == 1)
  }

  @Test func detach_cancelsTheEffectsOfTheSubtree() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    try session.send(#"{"openAside":"x"}"#)
    for place in ["detail", "detail/inner", "detail/inner/inner", "aside"] {
      try session.send(#"{"load":"it"}"#, to: .path(place))
    }
    let tokens = session.pendingEffects.map(\.token)
    try session.send(#"{"close":{}}"#)
    #expect(session.cancelledEffects == Array(tokens[0..<3]))
    #expect(session.pendingEffects.map(\.token) == [tokens[3]])
    #expect(session.tree.effectCount == 1)
  }

  @Test func detach_resignsAllBeforeItCancelsAny() throws {
    let counter = EffectCounter()
    let session = try TestSession(Watcher(depth: 0, counter: counter))
    counter.tree = session.tree
    #expect(session.tree.effectCount == 2)
    try session.send("\"close\"")
    #expect(counter.counts == [2, 2])
    #expect(session.tree.effectCount == 0)
  }

  @Test func report_ofADetachedNode_isDropped() async throws {
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.send(#"{"reopen":"a/b"}"#)
    let (before, transactions) = (session.view, session.tree.transactionCount)
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
    #expect(session.tree.transactionCount == transactions)
    #expect(session.view == before)
    #expect(try session.snapshot() == before)
  }

  @Test func report_afterTheEnd_isDropped() async throws {
    let session = try TestSession(Desk(detail: "a", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    session.stop()
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
  }
}
