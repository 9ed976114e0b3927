import RibCore
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)))
struct EffectTimingTests {
  private let clock = ManualClock()

  // MARK: debounce

  @Test func debounce_doesWhatCameLast() async throws {
    let session = try TestSession(Conductor(clock: clock))
    for name in ["a", "b", "c"] { try session.carryOut(#"{"debounce":{"send":"\#(name)"}}"#) }
    #expect(session.pending == ["wait"])
    #expect(session.cancelledEffects.count == 2)
    #expect(try session.log() == [])
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["c"])
    #expect(session.pending == [])
  }

  @Test func debounce_startsWhatTakesTimeAfterTheWait() async throws {
    let session = try TestSession(Conductor(clock: clock))
    try session.carryOut(#"{"debounce":{"run":"a"}}"#)
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(session.pending == ["a"])
    // What was begun is not cancelled by what comes later.
    try session.carryOut(#"{"debounce":{"run":"b"}}"#)
    #expect(session.pending == ["a", "wait"])
    #expect(session.cancelledEffects == [])
  }

  // MARK: throttle

  @Test func throttle_doesTheFirstAtOnceAndTheLastAtTheEnd() async throws {
    let session = try TestSession(Conductor(clock: clock))
    for name in ["a", "b", "c"] { try session.carryOut(#"{"throttle":{"send":"\#(name)"}}"#) }
    #expect(try session.log() == ["a"])
    #expect(session.pending.count == 1)
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["a", "c"])
    // What was let through at the end begins a new time.
    try session.carryOut(#"{"throttle":{"send":"d"}}"#)
    #expect(try session.log() == ["a", "c"])
    #expect(session.pending.count == 1)
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["a", "c", "d"])
    #expect(session.pending == [])
    try session.carryOut(#"{"throttle":{"send":"e"}}"#)
    #expect(try session.log() == ["a", "c", "d", "e"])
  }

  @Test func cancel_dropsWhatIsHeldBack() async throws {
    let session = try TestSession(Conductor(clock: clock))
    for name in ["a", "b"] { try session.carryOut(#"{"throttle":{"send":"\#(name)"}}"#) }
    try session.carryOut(#"{"cancel":"held"}"#)
    // The time goes on, and at its end there is nothing to do.
    #expect(session.pending.count == 1)
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["a"])
    try session.carryOut(#"{"throttle":{"send":"c"}}"#)
    #expect(try session.log() == ["a", "c"])
  }

  @Test func throttle_withoutTheLatest_dropsWhatIsHeldBack() async throws {
    let session = try TestSession(Conductor(clock: clock))
    for name in ["a", "b", "c"] { try session.carryOut(#"{"throttleFirst":{"send":"\#(name)"}}"#) }
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["a"])
    #expect(session.pending == [])
    try session.carryOut(#"{"throttleFirst":{"send":"d"}}"#)
    #expect(try session.log() == ["a", "d"])
  }

  @Test func throttle_holdsBackUnderItsNameOnly() throws {
    let session = try TestSession(Conductor(clock: clock))
    try session.carryOut(#"{"throttle":{"send":"a"}},{"throttleFirst":{"send":"b"}},{"throttle":{"send":"c"}}"#)
    #expect(try session.log() == ["a", "b"])
  }

  @Test func throttle_ofAFailedTransaction_holdsNothingBack() throws {
    let session = try TestSession(Conductor(clock: clock))
    _ = try session.refusal(of: #"{"carryOut":[{"throttle":{"send":"a"}},{"sendFailure":{}}]}"#)
    try session.carryOut(#"{"throttle":{"send":"b"}}"#)
    #expect(try session.log() == ["b"])
  }

  @Test func throttle_afterTheNodeWasInactive_holdsNothingBack() throws {
    let session = try TestSession(Hall())
    try session.carryOut(#"{"throttle":{"send":"a"}}"#, at: .path("stages[0]"))
    try session.send(#"{"select":1}"#)
    try session.send(#"{"select":0}"#)
    try session.carryOut(#"{"throttle":{"send":"b"}}"#, at: .path("stages[0]"))
    #expect(try session.log(of: 2) == ["a", "b"])
  }

  @Test func throttle_whoseWaitFails_isOpenAgain() throws {
    let session = try TestSession(Conductor(clock: clock))
    try session.carryOut(#"{"throttle":{"send":"a"}}"#)
    try session.end(try #require(session.pendingEffects.first).token, hasFailed: true)
    try session.carryOut(#"{"throttle":{"send":"b"}}"#)
    #expect(try session.log() == ["a", "b"])
  }

  @Test func throttle_whoseHeldBackEffectFails_isOpenAgain() async throws {
    let session = try TestSession(Conductor(clock: clock))
    try session.carryOut(#"{"throttle":{"send":"a"}},{"throttle":{"sendFailure":{}}}"#)
    await #expect(throws: Refusal.self) { try await session.runNextEffect(sleeping: .seconds(1), on: clock) }
    try session.carryOut(#"{"throttle":{"send":"b"}}"#)
    #expect(try session.log() == ["a", "b"])
  }

  @Test func throttle_inASequence_isNotWaitedFor() async throws {
    let session = try TestSession(Conductor(clock: clock))
    try session.carryOut(#"{"sequence":[{"throttle":{"send":"a"}},{"send":"b"}]}"#)
    #expect(try session.log() == ["a", "b"])
    try await session.runNextEffect(sleeping: .seconds(1), on: clock)
    #expect(try session.log() == ["a", "b"])
  }

  // MARK: observe

  @Test func observe_sendsAnActionForEachElement() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"observe":["a","b","c"]}"#)
    #expect(session.pending == ["stream"])
    #expect(!session.tree.hasVolatileEffects)
    try await session.runNextEffect()
    #expect(try session.log() == ["a", "b", "c"])
    #expect(session.tree.effectCount == 0)
  }

  @Test func observe_again_takesThePlaceOfTheOneBefore() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"observe":["a"]}"#)
    try session.carryOut(#"{"observe":["b"]}"#)
    #expect(session.cancelledEffects.count == 1)
    try await session.runNextEffect()
    #expect(try session.log() == ["b"])
    #expect(session.pending == [])
  }
}
