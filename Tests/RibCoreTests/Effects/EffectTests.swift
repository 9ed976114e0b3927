import RibCore
import RibTesting
import Testing
import Wire

/// What becomes of the effects that reducers return.
///
/// How they end with their node is in ``AnyNodeTests``; how actions and outputs are ordered, in ``NodeTests``; what a
/// failed transaction does to them, in ``TreeTests``.
struct EffectTests {
  // MARK: run

  @Test func run_startsWhenItsTransactionIsCommitted() async throws {
    let session = try TestSession(Desk(detail: "a"))
    #expect(try session.send(#"{"load":"it"}"#, to: .path("detail")) == [])
    #expect(session.pendingEffects.map(\.typeName) == ["Page"])
    #expect(session.tree.effectCount == 1)
    try await session.runNextEffect()
    #expect(session.lastPatch.map(\.line) == ["replace /nodes/2/state/loads 1"])
    #expect(try session.snapshot() == session.view)
  }

  @Test func run_thatHasEnded_isNoLongerRunning() async throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    try await session.runNextEffect()
    #expect(session.tree.effectCount == 0)
    try session.send(#"{"stop":"it"}"#, to: .path("detail"))
    try session.send(#"{"close":{}}"#)
    #expect(session.cancelledEffects == [])
  }

  @Test func run_thatThrows_isNoLongerRunning() async throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"breakDown":{}}]}"#, to: .path("child"))
    await #expect(throws: Worker.Breakdown.self) { try await session.runNextEffect() }
    // What it sent before has arrived.
    #expect(session.property("count", of: 2) == .integer(1))
    #expect(session.tree.effectCount == 0)
  }

  @Test func run_reportsEachActionInATransactionOfItsOwn() async throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"work":[{"count":{}}]}"#, to: .path("child"))
    let reports = try await session.reportsOfNextEffect()
    try #require(reports.count == 3)
    let patches = try reports.map { report in
      try session.deliver(report)
      return session.lastPatch.map(\.line)
    }
    #expect(
      patches == [
        ["replace /nodes/2/state/count 1"], [#"replace /nodes/1/state "worked""#], ["replace /nodes/2/state/count 2"],
      ])
    #expect(try session.snapshot() == session.view)
  }

  @Test func effectEnded_ofAnEffectThatIsUnknown_changesNothing() async throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let old = session.pendingEffects.map(\.token)
    try session.send(#"{"reopen":"a"}"#)
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    for token in old { try session.end(token) }
    #expect(session.tree.effectCount == 1)
    try await session.runNextEffect()
    #expect(session.property("loads", of: 3) == .integer(1))
  }

  // MARK: none, merge

  @Test func none_startsNothing() throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[]}"#, to: .path("child"))
    #expect(session.pendingEffects.isEmpty)
    #expect(session.tree.effectCount == 0)
  }

  @Test func merge_startsInOrder() async throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"run":"a"},{"run":"b"},{"run":"c"}]}"#, to: .path("child"))
    #expect(session.tree.effectCount == 3)
    let tokens = session.pendingEffects.map(\.token)
    try session.send(#"{"merge":[{"cancel":"b"}]}"#, to: .path("child"))
    #expect(session.cancelledEffects == [tokens[1]])
    #expect(session.pendingEffects.map(\.token) == [tokens[0], tokens[2]])
  }

  // MARK: cancel

  @Test func cancel_endsAllOfThatName() throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"run":"a"},{"run":"b"},{"run":"a"},{"runUnnamed":{}}]}"#, to: .path("child"))
    let tokens = session.pendingEffects.map(\.token)
    #expect(try session.send(#"{"merge":[{"cancel":"a"}]}"#, to: .path("child")) == [])
    #expect(session.cancelledEffects == [tokens[0], tokens[2]])
    #expect(session.tree.effectCount == 2)
  }

  @Test func cancel_ofWhatDoesNotRun_doesNothing() throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"runUnnamed":{}},{"cancel":"a"}]}"#, to: .path("child"))
    #expect(session.pendingEffects.count == 1)
    #expect(session.cancelledEffects == [])
  }

  @Test func report_ofACancelledEffect_isDropped() async throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.send(#"{"stop":"it"}"#, to: .path("detail"))
    let before = session.view
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
    #expect(session.lastPatch == [])
    #expect(session.property("loads", of: 2) == .integer(0))
    #expect(try session.snapshot() == before)
  }

  @Test(arguments: [
    #"{"merge":[{"run":"a"},{"cancel":"a"}]}"#,
    #"{"merge":[{"run":"a"},{"sendCancel":"a"}]}"#,
    #"{"merge":[{"run":"a"},{"run":"a"},{"cancel":"a"}]}"#,
    #"{"merge":[{"run":"a"},{"quit":{}}]}"#,
  ])
  func cancel_ofWhatTheSameTransactionStarts_elidesBoth(action: String) throws {
    let session = try TestSession(WorkerOwner())
    try session.send(action, to: .path("child"))
    #expect(session.pendingEffects.isEmpty)
    #expect(session.cancelledEffects == [])
    #expect(session.tree.effectCount == 0)
  }

  @Test func cancel_beforeRun_doesNotEndIt() throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"run":"a"}]}"#, to: .path("child"))
    let old = session.pendingEffects.map(\.token)
    try session.send(#"{"merge":[{"cancel":"a"},{"run":"a"}]}"#, to: .path("child"))
    #expect(session.cancelledEffects == old)
    #expect(session.pendingEffects.count == 1)
    #expect(session.tree.effectCount == 1)
  }

  // MARK: cancelInFlight

  @Test func cancelInFlight_endsWhatRunsUnderTheName() async throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"run":"a"},{"run":"b"},{"runUnnamed":{}}]}"#, to: .path("child"))
    let tokens = session.pendingEffects.map(\.token)
    try session.send(#"{"merge":[{"restart":"a"}]}"#, to: .path("child"))
    #expect(session.cancelledEffects == [tokens[0]])
    #expect(session.pendingEffects.count == 3)
    #expect(session.tree.effectCount == 3)
  }

  @Test func cancelInFlight_twiceInATransaction_startsTheLastOnly() throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"restart":"a"},{"restart":"a"}]}"#, to: .path("child"))
    #expect(session.pendingEffects.count == 1)
    #expect(session.cancelledEffects == [])
    #expect(session.tree.effectCount == 1)
  }

  @Test func cancelInFlight_withoutOneInFlight_cancelsNothing() async throws {
    let session = try TestSession(WorkerOwner())
    try session.send(#"{"merge":[{"restart":"a"}]}"#, to: .path("child"))
    try await session.runNextEffect()
    try session.send(#"{"merge":[{"restart":"a"}]}"#, to: .path("child"))
    #expect(session.cancelledEffects == [])
    #expect(session.tree.effectCount == 1)
  }

  // MARK: Names

  @Test func name_isTheNodesOwn() async throws {
    let session = try TestSession(Desk(detail: "a/a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    let tokens = session.pendingEffects.map(\.token)
    try session.send(#"{"stop":"it"}"#, to: .path("detail/inner"))
    #expect(session.cancelledEffects == [tokens[1]])
    try await session.runNextEffect()
    #expect(session.property("loads", of: 2) == .integer(1))
  }
}
