import RibCore
import RibTesting
import Testing
import Wire

/// Sequences of effects.
///
/// Effects that are held back for a while are in ``EffectTimingTests``.
struct EffectPlanTests {
  // MARK: Order

  @Test func sequence_beginsAStepWhenTheOneBeforeHasEnded() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"run":"b"},{"run":"c"}]}"#)
    for name in ["a", "b", "c"] {
      #expect(session.pending == [name])
      #expect(session.tree.effectCount == 1)
      try await session.runNextEffect()
    }
    #expect(session.pending == [])
    #expect(session.tree.effectCount == 0)
    #expect(try session.log() == ["a", "b", "c"])
  }

  @Test func sequence_doesStepsThatNeedNoTimeInOneTransaction() async throws {
    let session = try TestSession(Conductor())
    let before = session.tree.transactionCount
    try session.carryOut(#"{"sequence":[{"send":"a"},{"send":"b"},{"run":"c"},{"send":"d"},{"send":"e"}]}"#)
    #expect(session.tree.transactionCount == before + 1)
    #expect(try session.log() == ["a", "b"])
    #expect(session.pending == ["c"])
    try await session.runNextEffect()
    #expect(try session.log() == ["a", "b", "c", "d", "e"])
    // One for the report, one for the end of the effect.
    #expect(session.tree.transactionCount == before + 3)
  }

  @Test func sequence_withoutSteps_isOverAtOnce() throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[]},{"sequence":[{"merge":[]},{"sequence":[]},{"send":"a"}]}"#)
    #expect(try session.log() == ["a"])
    #expect(session.tree.effectCount == 0)
  }

  @Test func sequence_waitsForAllOfAStep() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"merge":[{"run":"a"},{"run":"b"}]},{"send":"c"}]}"#)
    #expect(session.pending == ["a", "b"])
    try await session.runNextEffect()
    #expect(try session.log() == ["a"])
    try await session.runNextEffect()
    #expect(try session.log() == ["a", "b", "c"])
  }

  @Test func sequences_doNotWaitForEachOther() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(
      #"{"sequence":[{"run":"a"},{"run":"b"}]},{"sequence":[{"run":"c"},{"run":"d"}]},{"run":"e"}"#)
    #expect(session.pending == ["a", "c", "e"])
    try await session.runNextEffect()
    #expect(session.pending == ["c", "e", "b"])
    try await session.runNextEffect()
    #expect(session.pending == ["e", "b", "d"])
  }

  @Test func sequence_inASequence_isAStep() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"sequence":[{"run":"a"},{"sequence":[{"run":"b"}]}]},{"run":"c"}]}"#)
    for name in ["a", "b", "c"] {
      #expect(session.pending == [name])
      try await session.runNextEffect()
    }
    #expect(try session.log() == ["a", "b", "c"])
    #expect(session.tree.effectCount == 0)
  }

  @Test(arguments: [#"{"sequence":[]}"#, #"{"sequence":[{"send":"x"}]}"#])
  func sequence_thatIsOverAtOnce_doesNotEndTheStepThatItIsAPartOf(inner: String) async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"merge":[\#(inner),{"run":"a"},\#(inner)]},{"run":"b"}]}"#)
    #expect(session.pending == ["a"])
    try await session.runNextEffect()
    #expect(session.pending == ["b"])
  }

  // MARK: Giving up

  @Test func sequence_ofWhichAStepThrows_isGivenUp() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(
      #"{"sequence":[{"sequence":[{"breakDown":"a"},{"run":"b"}]},{"run":"c"}]},{"sequence":[{"run":"d"},{"run":"e"}]}"#
    )
    await #expect(throws: Conductor.Breakdown.self) { try await session.runNextEffect() }
    #expect(session.pending == ["d"])
    try await session.runNextEffect()
    #expect(session.pending == ["e"])
  }

  @Test func sequence_ofWhichAStepIsCancelled_isGivenUp() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"send":"b"}]},{"sequence":[{"run":"c"},{"send":"d"}]}"#)
    let effect = try #require(session.pendingEffects.first)
    try session.carryOut(#"{"cancel":"a"}"#)
    #expect(session.cancelledEffects == [effect.token])
    try session.end(effect.token)
    try await session.runNextEffect()
    #expect(try session.log() == ["c", "d"])
    #expect(session.tree.effectCount == 0)
  }

  @Test func sequence_ofACancelledPart_goesOnWithNothing() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"merge":[{"run":"a"},{"run":"b"}]},{"run":"c"}]}"#)
    try session.carryOut(#"{"cancel":"b"}"#)
    #expect(session.pending == ["a"])
    try await session.runNextEffect()
    #expect(session.pending == [])
    #expect(try session.log() == ["a"])
  }

  @Test func sequence_ofADetachedNode_isGivenUp() throws {
    let session = try TestSession(Hall())
    try session.send(#""invite""#)
    try session.carryOut(#"{"sequence":[{"run":"a"},{"run":"b"}]}"#, at: .path("guest"))
    let effect = try #require(session.pendingEffects.first)
    try session.send(#""dismiss""#)
    #expect(session.cancelledEffects == [effect.token])
    try session.end(effect.token)
    #expect(session.pending == [])
    #expect(session.tree.effectCount == 0)
  }

  @Test func sequence_ofANodeThatResigns_isGivenUp() async throws {
    let session = try TestSession(Hall())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"run":"b"}]}"#, at: .path("stages[0]"))
    let old = try #require(session.pendingEffects.first)
    try session.send(#"{"select":1}"#)
    try session.send(#"{"select":0}"#)
    try session.carryOut(#"{"sequence":[{"run":"c"},{"run":"d"}]}"#, at: .path("stages[0]"))
    try session.end(old.token)
    #expect(session.pending == ["c"])
    try await session.runNextEffect()
    #expect(session.pending == ["d"])
  }

  // MARK: Undoing

  @Test func sequence_survivesAFailedTransaction() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"send":"b"},{"run":"c"}]}"#)
    _ = try session.refusal(of: #""fail""#)
    #expect(session.pending == ["a"])
    #expect(session.cancelledEffects == [])
    try await session.runNextEffect()
    #expect(try session.log() == ["a", "b"])
    #expect(session.pending == ["c"])
  }

  @Test func sequence_ofAFailedTransaction_doesNotBegin() async throws {
    let session = try TestSession(Conductor())
    _ = try session.refusal(of: #"{"carryOut":[{"sequence":[{"run":"a"},{"run":"b"}]},{"sendFailure":{}}]}"#)
    #expect(session.pending == [])
    #expect(session.tree.effectCount == 0)
    try session.carryOut(#"{"sequence":[{"run":"c"},{"run":"d"}]}"#)
    try await session.runNextEffect()
    #expect(session.pending == ["d"])
  }

  @Test func sequence_whoseNextStepFails_isGivenUp() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"sendFailure":{}},{"run":"b"}]}"#)
    let refusal = await #expect(throws: Refusal.self) { try await session.runNextEffect() }
    #expect(refusal?.code == .failed)
    #expect(session.pending == [])
    #expect(session.tree.effectCount == 0)
    #expect(try session.snapshot() == session.view)
    try session.carryOut(#"{"run":"c"}"#)
    #expect(session.pending == ["c"])
  }
}
