import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

extension TreeTests {
  /// 2,000 transactions that fail, and 10,000 at night, in trees of every shape: nothing is left of any.
  @Test(arguments: TestRun.seeds(1, 2, new: 3))
  func failedTransaction_leavesNothing(seed: UInt64) throws {
    for sequence in 1...UInt64(TestRun.volume(8, nightly: 40)) {
      var walk = BranchWalk(random: SeededGenerator(state: seed << 32 + sequence), runsEffects: true)
      let session = try TestSession(Branch(depth: 2))
      var trail: [String] = []
      do {
        for _ in 1...50 {
          let step = try walk.step(on: session)
          trail.append("\(step)")
          _ = try BranchWalk.perform(step, on: session)
          let failure = try walk.failure(on: session)
          trail.append("\(failure)")
          try requireFailure(failure, in: session)
        }
      } catch {
        Issue.record(error, "seed \(seed), sequence \(sequence): \(trail)")
        return
      }
    }
  }

  private func requireFailure(_ step: BranchWalk.Step, in session: TestSession) throws {
    let view = session.view
    let (before, effects) = (try session.tree.snapshot(), session.pendingEffects.map(\.token))
    let cancelled = session.cancelledEffects
    let refusal = try BranchWalk.perform(step, on: session)
    try #require(refusal?.code == .failed)
    try #require(try session.snapshot() == view)
    try #require(try session.tree.snapshot() == before)
    try #require(session.pendingEffects.map(\.token) == effects && session.cancelledEffects == cancelled)
    try #require(session.tree.effectCount == effects.count)
  }
}
