import RibCore
import RibTesting
import Testing
import Wire

/// What an observer is told, in order.
struct TreeEventTests {
  @Test func attach_isNotedBeforeTheActivation() throws {
    let session = try observed(Desk())
    try session.send(#"{"open":"a/b"}"#)
    #expect(
      session.takeEvents() == [
        .attached(id: 2, type: "Page", parent: 1), .activated(id: 2, type: "Page"),
        .attached(id: 3, type: "Page", parent: 2), .activated(id: 3, type: "Page"), .committed(transaction: 2),
      ])
  }

  @Test func detach_isNotedAfterTheSubtreeHasResigned() throws {
    let session = try observed(Desk(detail: "a/b"))
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    let token = try #require(session.pendingEffects.first?.token)
    #expect(
      session.takeEvents() == [
        .effectStarted(token: token, type: "Page", id: EffectID("it")), .committed(transaction: 2),
      ])
    try session.send(#"{"close":{}}"#)
    #expect(
      session.takeEvents() == [
        .deactivated(id: 2, type: "Page"), .deactivated(id: 3, type: "Page"),
        .effectEnded(token: token, type: "Page", id: EffectID("it")),
        .detached(id: 2, type: "Page"), .detached(id: 3, type: "Page"), .committed(transaction: 3),
      ])
  }

  @Test func selection_deactivatesAndActivates() throws {
    let session = try observed(
      Rack(pages: Tabs("a", "b", selected: 1), activation: .selectedOnly, changes: ["0": { $0.pages.select(at: 0) }]))
    try session.send("\"0\"")
    #expect(
      session.takeEvents() == [
        .deactivated(id: 3, type: "Page"), .activated(id: 2, type: "Page"), .committed(transaction: 2),
      ])
  }

  @Test func effect_startsBeforeTheCommitAndEndsAfterIt() async throws {
    let session = try observed(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let token = try #require(session.pendingEffects.first?.token)
    try await session.runNextEffect()
    #expect(
      session.takeEvents() == [
        .effectStarted(token: token, type: "Page", id: EffectID("it")), .committed(transaction: 2),
        .committed(transaction: 3), .effectEnded(token: token, type: "Page", id: EffectID("it")),
      ])
  }

  @Test func effect_thatIsCancelled_endsBeforeTheCommit() throws {
    let session = try observed(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let token = try #require(session.pendingEffects.first?.token)
    _ = session.takeEvents()
    try session.send(#"{"stop":"it"}"#, to: .path("detail"))
    #expect(
      session.takeEvents() == [
        .effectEnded(token: token, type: "Page", id: EffectID("it")), .committed(transaction: 3),
      ])
  }

  @Test func failure_isUndoneAfterWhatWasNoted() throws {
    let session = try observed(Desk(detail: "a"))
    let refusal = try session.refusal(of: #"{"fail":{}}"#)
    #expect(
      session.takeEvents() == [
        .deactivated(id: 2, type: "Page"), .detached(id: 2, type: "Page"),
        .attached(id: 3, type: "Page", parent: 1), .activated(id: 3, type: "Page"),
        .attached(id: 4, type: "Page", parent: 3), .activated(id: 4, type: "Page"),
        .undone(reason: refusal.message),
      ])
    // The next one has the number that the failed one would have had.
    try session.send(#"{"count":{}}"#)
    #expect(session.takeEvents() == [.committed(transaction: 2)])
  }

  @Test func action_thatDoesNotDecode_isUndone() throws {
    let session = try observed(Desk())
    let refusal = try session.refusal(of: "\"unheardOf\"")
    #expect(session.takeEvents() == [.undone(reason: refusal.message)])
  }

  @Test func effect_endsBeforeWhatFollows() async throws {
    let session = try observed(Conductor())
    try session.carryOut(#"{"sequence":[{"run":"a"},{"run":"b"}]}"#)
    let first = try #require(session.pendingEffects.first?.token)
    _ = session.takeEvents()
    try await session.runNextEffect()
    let second = try #require(session.pendingEffects.first?.token)
    #expect(
      session.takeEvents() == [
        .committed(transaction: 3), .effectEnded(token: first, type: "Conductor", id: EffectID("a")),
        .effectStarted(token: second, type: "Conductor", id: EffectID("b")), .committed(transaction: 4),
      ])
  }

  private func observed<Root: Riblet>(_ root: Root) throws -> TestSession
  where Root.Output == Never, Root.Props == Never {
    let session = try TestSession(root)
    _ = session.takeEvents()
    return session
  }
}
