import RibCore
import RibTesting
import Testing
import Wire

struct FeatureTests {
  @Test func feature_showsTheReducedDomain() throws {
    let session = try TestSession(makeTally(TallyDomain(count: -12)))
    let state = #"{"bonus":0,"count":-2,"countThen":0,"isNegative":true,"ratio":1}"#
    #expect(session.view.text == #"{"nodes":{"1":{"state":\#(state),"type":"Tally"}},"root":1}"#)
    #expect(try session.send(#""increment""#) == ["replace /nodes/1/state/count -1"])
    #expect(session.property("isNegative") == .bool(true))
    try session.send(#""increment""#)
    #expect(session.property("count") == .integer(0))
    #expect(session.property("isNegative") == .bool(false))
    try session.send(#""decrement""#)
    #expect(session.property("count") == .integer(-1))
  }

  @Test func feature_refusesWhatIsNoActionOfIts() throws {
    let session = try TestSession(makeTally())
    let refusal = try session.refusal(of: #""reset""#)
    #expect(refusal.code == .badAction)
    #expect(refusal.message.contains("Tally"))
  }

  @Test func domain_isInTheSnapshot() throws {
    let session = try TestSession(makeTally())
    try session.send(#""increment""#)
    let snapshot = try session.savedSnapshot()
    #expect(snapshot.nodes[1]?.state == #"{"count":11,"bonus":0,"countThen":0,"ratio":1}"#)
    // It becomes active once more; what the interactor was made with does not count.
    let restored = try TestSession(makeTally(TallyDomain(count: 500)), restoring: snapshot)
    #expect(restored.restoreReport?.lost == [])
    #expect(restored.property("count") == .integer(21))
  }

  @Test func domain_isUndoneByAFailedTransaction() async throws {
    let session = try TestSession(makeTally())
    let refusal = try session.refusal(of: #""fail""#)
    #expect(refusal.code == .failed)
    #expect(session.pendingEffects.isEmpty)
    #expect(try session.send(#""increment""#) == ["replace /nodes/1/state/count 11"])
    try session.send(#"{"fetch":5}"#)
    try await session.runNextEffect()
    #expect(session.property("bonus") == .integer(5))
    #expect(session.property("countThen") == .integer(11))
  }

  @Test func view_canBeReadByAnyNumberOfClients() async throws {
    let session = try TestSession(makeTally())
    var first = session.view
    var second = try session.snapshot()
    try session.send(#"{"fetch":5}"#)
    for client in [#""increment""#, #""decrement""#, #""increment""#] {
      try session.send(client)
      try first.apply(session.lastPatch)
      try second.apply(session.lastPatch)
    }
    try await session.runNextEffect()
    try first.apply(session.lastPatch)
    try second.apply(session.lastPatch)
    #expect(first == session.view)
    #expect(second == session.view)
    #expect(session.property("bonus") == .integer(5))
  }
}
