import RibCore
import RibTesting
import Testing
import Wire

/// Transactions that cannot be completed.
extension TreeTests {
  @Test(arguments: Wreck.allCases)
  func refusal_leavesEverythingAsItWas(wreck: Wreck) async throws {
    let session = try makeSession()
    let before = (nodes: session.tree.nodeCount, effects: session.tree.effectCount)
    let pending = session.pendingEffects.map(\.token)

    let refusal = try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#)
    #expect(refusal.code == wreck.code)
    for word in wreck.words { #expect(refusal.message.contains(word)) }
    let isNamed = wreck.culprits.contains { refusal.message.contains($0) }
    #expect(wreck.isRefusal ? refusal.message == Wreck.reason : isNamed, "\(refusal.message)")

    #expect(session.tree.nodeCount == before.nodes)
    #expect(session.tree.effectCount == before.effects)
    #expect(session.pendingEffects.map(\.token) == pending)
    #expect(session.cancelledEffects == [])
    #expect(session.tree.droppedActions == 0)
    for id in 1...before.nodes { #expect(session.tree.typeName(at: .id(id)) != nil) }
    #expect(session.tree.typeName(at: .id(before.nodes + 1)) == nil)

    // Nodes, ids and effects work as if it had never been tried.
    #expect(try session.send("\"count\"") == ["replace /nodes/1/state/count 2"])
    #expect(try session.send(#"{"count":{}}"#, to: .path("detail/inner")) == ["replace /nodes/3/state/count 2"])
    try session.send("\"openAside\"")
    #expect(try session.ids(on: "aside") == [Int64(before.nodes) + 1])
    try await session.runNextEffect()
    #expect(session.property("loads") == .integer(1))
    try await session.runNextEffect()
    #expect(session.property("loads", of: 3) == .integer(1))
    #expect(session.tree.effectCount == 0)
    #expect(try session.snapshot() == session.view)
  }

  @Test(arguments: Wreck.allCases)
  func refusal_canBeRepeated(wreck: Wreck) throws {
    let session = try makeSession()
    let first = try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#)
    #expect(try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#) == first)
    // Detaching finds the effect that the failure had stopped, and no other.
    let tokens = session.pendingEffects.map(\.token)
    try session.send("\"closeDetail\"")
    #expect(session.tree.nodeCount == 1)
    #expect(session.cancelledEffects == [tokens[1]])
    #expect(try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#).code == wreck.code)
  }

  @Test(arguments: [Wreck.flip, .refuse, .refuseActivation])
  func refusal_ofAReport_leavesItsEffectRunning(wreck: Wreck) async throws {
    let session = try makeSession()
    try session.send(#"{"loadWreck":"\#(wreck.rawValue)"}"#)
    try await session.runNextEffect()
    try await session.runNextEffect()
    let report = try #require(try await session.reportsOfNextEffect().first)
    let before = session.view
    let refusal = try #require(throws: Refusal.self) { try session.deliver(report) }
    #expect(refusal.code == wreck.code)
    #expect(try session.snapshot() == before)
    #expect(session.tree.effectCount == 1)
    #expect(session.tree.droppedActions == 0)
  }

  @Test func refusal_ofAnActionThatDoesNotDecode_leavesEverythingAsItWas() throws {
    let session = try makeSession()
    #expect(try session.refusal(of: #"{"wreck":"unheard of"}"#).code == .badAction)
    #expect(try session.send("\"count\"") == ["replace /nodes/1/state/count 2"])
  }

  /// Fragile 1 with `detail` 2 and its `inner` 3; an effect of the root and one of node 3 are pending.
  private func makeSession() throws -> TestSession {
    let session = try TestSession(Fragile())
    try session.send("\"count\"")
    try session.send(#"{"count":{}}"#, to: .path("detail/inner"))
    try session.send("\"load\"")
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    return session
  }
}

extension Wreck {
  fileprivate var code: Nack.Code { isRefusal ? .refused : .failed }
}
