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
    async let slept = clock.wakeSleeper(after: duration)
    try await runNextEffect()
    let isPunctual = await slept
    #expect(isPunctual, "The effect sleeps for another time.", sourceLocation: sourceLocation)
  }

  /// The snapshot, by way of its JSON.
  func savedSnapshot() throws -> TreeSnapshot {
    let bytes = try StateCoder.encode(try tree.snapshot())
    return try StateCoder.decode(from: try StateCoder.read(String(decoding: bytes, as: UTF8.self)))
  }
}

extension ManualClock {
  /// Waits until somebody sleeps, and lets the time pass.
  ///
  /// - Returns: whether the sleeper has woken just then.
  fileprivate func wakeSleeper(after duration: Duration) async -> Bool {
    while sleeperCount == 0, !Task.isCancelled { await Task.yield() }
    advance(by: duration - .nanoseconds(1))
    let isAsleep = sleeperCount == 1
    advance(by: .nanoseconds(1))
    return isAsleep && sleeperCount == 0
  }
}
