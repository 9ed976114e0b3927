import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

extension TreeSnapshotTests {
  /// Of two trees with the same past one is saved and restored after every action, 2,000 times and 10,000 at night,
  /// and nobody sees which.
  @Test(arguments: TestRun.seeds(1, 2, new: 3))
  func randomActions_afterARestoration_showTheSame(seed: UInt64) throws {
    for sequence in 1...UInt64(TestRun.volume(8, nightly: 40)) {
      var walk = BranchWalk(random: SeededGenerator(state: seed << 32 + sequence))
      let session = try TestSession(Branch(depth: 2))
      var restored = try TestSession(Branch(depth: 2))
      var trail: [String] = []
      do {
        for _ in 1...50 {
          let step = try walk.step(on: session)
          trail.append("\(step)")
          let refusal = try BranchWalk.perform(step, on: session)
          try #require(try BranchWalk.perform(step, on: restored) == refusal)
          if refusal == nil { try #require(restored.lastPatch == session.lastPatch) }
          restored = try TestSession(Branch(depth: 2), restoring: try restored.savedSnapshot())
          try #require(restored.restoreReport?.lost == [])
          try #require(restored.view == session.view)
        }
        try #require(restored.view == session.view)
        try #require(try restored.snapshot().text == session.snapshot().text)
        try #require(try restored.tree.snapshot().nodes == session.tree.snapshot().nodes)
      } catch {
        Issue.record(error, "seed \(seed), sequence \(sequence): \(trail)")
        return
      }
    }
  }
}
