import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

/// What a store has to write.
extension TreeSnapshotTests {
  @Test func cut_afterTheStart_hasEverything() throws {
    let session = try TestSession(Branch(depth: 1))
    let cut = session.tree.takeCut()
    // The branch, its ground, a tab, its knot, two pages.
    #expect(cut.changed.map(\.id) == Array(1...6))
    #expect(cut.removed == [])
    #expect(cut.root == 1)
    #expect(cut.lastID == 6)
    #expect(cut.transactions == 1)
    #expect(session.tree.takeCut().changed == [])
  }

  @Test func cut_hasTheNodeOfAnAction() throws {
    let session = try cutTree()
    try session.send(#""count""#, to: .path("stack"))
    let cut = session.tree.takeCut()
    #expect(cut.changed.map(\.id) == [2])
    #expect(cut.changed.map(\.state) == [.replaced(Array("1".utf8))])
    #expect(cut.transactions == session.tree.transactionCount)
  }

  @Test func cut_hasTheOwnerOfAnEmbeddedChild_alone() throws {
    let session = try cutTree()
    try session.send(#""count""#, to: .path("twigs/leaf"))
    let cut = session.tree.takeCut()
    #expect(cut.changed.map(\.type) == ["Branch"])
    #expect(cut.changed.first?.state.text?.contains(#""leaf":{"count":1}"#) == true)
    #expect(cut.changed.first?.children == nil && cut.changed.first?.effects == nil)
  }

  @Test func cut_hasWhatWasAttachedAndDetached() throws {
    let session = try cutTree()
    try session.send(#""open""#)
    let branch = try #require(try session.ids(on: "slot").first.map { Int($0) })
    let attached = session.tree.takeCut()
    let below = Set(branch...branch + 5)
    #expect(Set(attached.changed.map(\.id)).isSuperset(of: below.union([1])))
    #expect(attached.lastID == branch + 5)
    #expect(attached.removed == [])
    try session.send(#""close""#)
    let detached = session.tree.takeCut()
    #expect(Set(detached.removed) == below)
    #expect(detached.changed.map(\.id).contains(1))
    #expect(detached.lastID == branch + 5)
  }

  @Test func cut_hasEffectsThatBeginAndEnd() async throws {
    let session = try cutTree()
    try session.send(#"{"run":"it"}"#)
    #expect(session.tree.takeCut().changed.first?.effects?.map(\.id) == ["it"])
    try await session.runNextEffect()
    let cut = session.tree.takeCut()
    #expect(cut.changed.map(\.id) == [1])
    #expect(cut.changed.first?.effects == [])
  }

  @Test func cut_afterARefusal_hasNothing() throws {
    let session = try cutTree()
    let before = session.tree.transactionCount
    _ = try session.refusal(of: #"{"fail":"view"}"#)
    _ = try session.refusal(of: #""unheardOf""#)
    let cut = session.tree.takeCut()
    #expect(cut.changed == [])
    #expect(cut.removed == [])
    #expect(cut.transactions == before)
  }

  @Test func cut_ofSeveralTransactions_hasAllOfThem() throws {
    let session = try cutTree()
    try session.send(#""count""#, to: .path("stack"))
    try session.send(#""open""#)
    try session.send(#""close""#)
    try session.send(#""count""#, to: .path("tabs"))
    let cut = session.tree.takeCut()
    #expect(Set(cut.changed.map(\.id)).isSuperset(of: [1, 2, 3]))
    #expect(cut.removed.count == 6)
  }

  @Test(arguments: TestRun.seeds(1, 2, new: 3))
  func cuts_inOrder_makeTheSnapshot(seed: UInt64) throws {
    for sequence in 1...UInt64(TestRun.volume(2, nightly: 10)) {
      var walk = BranchWalk(random: SeededGenerator(state: seed << 32 + sequence), runsEffects: true)
      let session = try TestSession(Branch(depth: 2))
      var snapshot = try session.tree.snapshot()
      // Half of the time the first cut is one on nothing.
      if sequence % 2 == 0 { snapshot.nodes = [:] } else { _ = session.tree.takeCut() }
      var trail: [BranchWalk.Step] = []
      do {
        for _ in 1...60 {
          let step = try walk.step(on: session)
          trail.append(step)
          _ = try BranchWalk.perform(step, on: session)
          guard Int.random(in: 1...3, using: &walk.random) == 1 else { continue }
          snapshot.apply(session.tree.takeCut())
          try #require(try session.tree.snapshot().normalized == snapshot.normalized)
        }
      } catch {
        Issue.record(error, "seed \(seed), sequence \(sequence): \(trail)")
        return
      }
    }
  }

  /// A store that was away for several cuts is given one that says the same.
  @Test(arguments: TestRun.seeds(1, 2, new: 3))
  func cuts_appended_makeTheSame(seed: UInt64) throws {
    for sequence in 1...UInt64(TestRun.volume(2, nightly: 10)) {
      var walk = BranchWalk(random: SeededGenerator(state: seed << 32 + sequence), runsEffects: true)
      let session = try TestSession(Branch(depth: 2))
      var snapshot = TreeSnapshot(session.tree.takeCut())
      var waiting: TreeCut?
      for _ in 1...60 {
        _ = try BranchWalk.perform(try walk.step(on: session), on: session)
        guard Int.random(in: 1...3, using: &walk.random) == 1 else { continue }
        let cut = session.tree.takeCut()
        if waiting == nil { waiting = cut } else { waiting?.append(cut) }
        let all = try #require(waiting)
        #expect(Set(all.changed.map(\.id)).count == all.changed.count, "a node is written twice")
        #expect(Set(all.changed.map(\.id)).isDisjoint(with: all.removed))
        var other = snapshot
        other.apply(all)
        try #require(try session.tree.snapshot().normalized == other.normalized, "seed \(seed), sequence \(sequence)")
        guard Int.random(in: 1...3, using: &walk.random) == 1 else { continue }
        snapshot = other
        waiting = nil
      }
    }
  }

  /// Branch 1 with the floor 2, the first tab 3, a twig and its leaf; nothing is left to write.
  private func cutTree() throws -> TestSession {
    let session = try TestSession(Branch(depth: 1))
    try session.send(#""addTwig""#)
    try session.send(#""sprout""#, to: .path("twigs"))
    _ = session.tree.takeCut()
    return session
  }
}
