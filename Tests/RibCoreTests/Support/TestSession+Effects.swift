import RibCore
import RibTesting
import Testing
import Wire

extension TestSession {
  /// What a ``Conductor`` has written down.
  func log(of node: NodeID = 1) throws -> [String] {
    let log = try #require(property("log", of: node))
    guard case .array(let lines) = log else { throw UnexpectedView(value: log) }
    return try lines.map { line in
      guard case .string(let text) = line else { throw UnexpectedView(value: line) }
      return text
    }
  }

  /// Has a ``Conductor`` carry out plans.
  func carryOut(_ plans: String, at address: NodeAddress = .path("")) throws {
    try send(#"{"carryOut":[\#(plans)]}"#, to: address)
  }

  /// The names of the pending effects.
  var pending: [String] { pendingEffects.map { $0.id?.description ?? "?" } }

  /// Runs the oldest pending effect, which has to sleep once, for just that long.
  func runNextEffect(
    sleeping duration: Duration, on clock: ManualClock, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = clock.sleeps.count
    async let advanced: Void = clock.advance(by: duration, afterSleep: before + 1)
    try await runNextEffect()
    await advanced
    #expect(Array(clock.sleeps[before...]) == [duration], sourceLocation: sourceLocation)
  }

  /// The snapshot, by way of its JSON.
  func savedSnapshot() throws -> TreeSnapshot {
    let bytes = try StateCoder.encode(try tree.snapshot())
    return try StateCoder.decode(from: try StateCoder.read(String(decoding: bytes, as: UTF8.self)))
  }
}
