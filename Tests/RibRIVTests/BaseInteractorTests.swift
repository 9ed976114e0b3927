import RibCore
import RibTesting
import Testing
import Wire

/// Updates that take time.
struct BaseInteractorTests {
  @Test func asyncUpdate_losesNothingThatHappensMeanwhile() async throws {
    let session = try TestSession(makeTally())
    try session.send(#"{"fetch":5}"#)
    try session.send(#""increment""#)
    try session.send(#""increment""#)
    try await session.runNextEffect()
    #expect(session.property("count") == .integer(12))
    #expect(session.property("bonus") == .integer(5))
    // The work has seen the domain as it was when it was asked for.
    #expect(session.property("countThen") == .integer(10))
  }

  @Test func asyncUpdate_thatWasReplaced_changesNothing() async throws {
    let session = try TestSession(makeTally())
    try session.send(#"{"fetch":5}"#)
    let reports = try await session.reportsOfNextEffect()
    #expect(reports.count == 1)
    try session.send(#"{"fetch":7}"#)
    #expect(session.cancelledEffects.count == 1)
    for report in reports { try session.deliver(report) }
    #expect(session.property("bonus") == .integer(0))
    try await session.runNextEffect()
    #expect(session.property("bonus") == .integer(7))
    #expect(session.tree.effectCount == 0)
  }

  @Test func asyncUpdate_thatWasReplacedAndThrows_changesNothing() async throws {
    let session = try TestSession(makeTally())
    try session.send(#""fetchInVain""#)
    let old = try #require(session.pendingEffects.first)
    try session.send(#"{"fetch":7}"#)
    await #expect(throws: TallyInteractor.Unreachable.self) {
      try await old.run { _ in Issue.record("it has reported something") }
    }
    try session.end(old.token, hasFailed: true)
    #expect(session.tree.effectCount == 1)
    try await session.runNextEffect()
    #expect(session.property("bonus") == .integer(7))
  }

  @Test func asyncUpdate_ofACancelledTask_reportsNothing() async throws {
    let session = try TestSession(makeTally())
    try session.send(#"{"fetch":5}"#)
    let effect = try #require(session.pendingEffects.first)
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await effect.run { _ in Issue.record("it has reported something") }
    }.value
    // The same work reports when nobody cancels it.
    try await session.runNextEffect()
    #expect(session.property("bonus") == .integer(5))
  }

  @Test func asyncUpdate_thatThrows_changesNothing() async throws {
    let session = try TestSession(makeTally())
    try session.send(#""fetchInVain""#)
    let before = session.view
    await #expect(throws: TallyInteractor.Unreachable.self) { try await session.runNextEffect() }
    #expect(try session.snapshot() == before)
    #expect(session.tree.effectCount == 0)
  }

  @Test func asyncUpdates_withoutAName_runBesideEachOther() async throws {
    let session = try TestSession(makeTally())
    try session.send(#"{"fetchBeside":5}"#)
    try session.send(#"{"fetchBeside":7}"#)
    #expect(session.pendingEffects.count == 2)
    try await session.runNextEffect()
    try await session.runNextEffect()
    #expect(session.property("bonus") == .integer(12))
  }
}
