import RibTestSupport
import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibCore

/// What a commit writes is proportional to what has changed.
extension TreeSnapshotTests {
  private func pile(_ count: Int = 200) throws -> TestSession {
    let session = try TestSession(Pile(count: count))
    _ = session.tree.takeCut()
    return session
  }

  @Test func change_ofALargeState_isWrittenAlone() throws {
    let session = try pile()
    try session.send(#"{"toggle":{"_0":100}}"#)
    let cut = session.tree.takeCut()
    #expect(cut.changed.count == 1)
    #expect(cut.changed.first?.state.text == #"[{"op":"replace","path":"/rows/100/isDone","value":true}]"#)
    #expect(cut.changed.first?.state.sequence == [1])
    #expect(cut.changed.first?.children == nil && cut.changed.first?.effects == nil)
  }

  @Test func changes_ofOneBatch_areOne() throws {
    let session = try pile()
    try session.send(#"{"toggle":{"_0":1}}"#)
    try session.send(#"{"write":{"_0":"x"}}"#)
    let state = session.tree.takeCut().changed.first?.state
    #expect(
      state?.text == """
        [{"op":"replace","path":"/rows/1/isDone","value":true},{"op":"replace","path":"/text","value":"x"}]
        """)
    #expect(state?.sequence == [1])
    try session.send(#"{"toggle":{"_0":2}}"#)
    #expect(session.tree.takeCut().changed.first?.state.sequence == [2])
  }

  @Test func state_thatStaysTheSame_isNotWritten() throws {
    let session = try pile()
    try session.send(#"{"nothing":{}}"#)
    #expect(session.tree.takeCut().changed == [])
    // A small one neither.
    let small = try pile(0)
    try small.send(#"{"nothing":{}}"#)
    #expect(small.tree.takeCut().changed == [])
  }

  @Test func smallState_isWrittenWhole() throws {
    let session = try pile(0)
    for text in ["x", "y"] {
      try session.send(#"{"write":{"_0":"\#(text)"}}"#)
      guard case .replaced(let base) = session.tree.takeCut().changed.first?.state else {
        Issue.record("not whole")
        return
      }
      #expect(base.count <= StateCut.smallSize)
    }
  }

  @Test func changes_thatOutgrowTheirBase_giveWayToANewOne() throws {
    let session = try pile(20)
    let size = try #require(try session.tree.snapshot().nodes[1]?.state?.utf8.count)
    var (written, rewritten) = (0, 0)
    for step in 0..<200 {
      try session.send(#"{"toggle":{"_0":\#(step)}}"#)
      let state = try #require(session.tree.takeCut().changed.first?.state)
      written += state.text?.utf8.count ?? 0
      if case .rewritten = state { rewritten += 1 }
    }
    #expect(rewritten > 2)
    // Twice what changed, and a change has some 60 bytes.
    #expect(written < 200 * 62 * 2 + size)
  }

  @Test func changeThatIsUndone_isNotWritten() throws {
    let session = try pile()
    _ = try session.refusal(of: #"{"fail":{}}"#)
    #expect(session.tree.takeCut().changed == [])
    try session.send(#"{"toggle":{"_0":0}}"#)
    _ = try session.refusal(of: #"{"fail":{}}"#)
    #expect(
      session.tree.takeCut().changed.first?.state.text == #"[{"op":"replace","path":"/rows/0/isDone","value":true}]"#)
  }

  /// What is bound to be less than the limit is not measured; what may be more is.
  @Test func largeState_isRefusedByItsSize_notByItsChanges() throws {
    let session = try pile()
    let half = String(repeating: "x", count: Tree.stateLimit / 2)
    try session.send(#"{"write":{"_0":"\#(half)"}}"#)
    // More than twice the limit in changes, of a state that stays half as large.
    for letter in ["a", "b", "c", "d"] { try session.send(#"{"write":{"_0":"\#(letter)\#(half)"}}"#) }
    let refusal = try session.refusal(of: #"{"write":{"_0":"\#(half)\#(half)"}}"#)
    #expect(refusal.message.hasPrefix("The state of Pile would have"))
    let other = TreeSnapshot(session.tree.takeCut())
    #expect(other.nodes[1]?.state?.contains("d\(half)") == true)
  }

  /// A state that is an object is its own earlier one.
  @Test func objectAsAState_isWrittenWhole() throws {
    final class Box: Encodable, Sendable {
      let text = Mutex(String(repeating: "x", count: 1000))
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text.withLock { $0 })
      }
    }
    let session = try TestSession(
      Scripted(state: Box(), changes: ["grow": { box in box.text.withLock { $0 += "y" } }]))
    _ = session.tree.takeCut()
    try session.act("\"grow\"")
    #expect(session.tree.takeCut().changed.first?.state.text?.contains("xy") == true)
  }

  /// An action of the parent changes no row of its children's: their states are parts of its own.
  @Test func parentsAction_writesNoEmbeddedChild() throws {
    let session = try TestSession(Branch(depth: 0))
    for _ in 1...3 { try session.send(#""addTwig""#) }
    _ = session.tree.takeCut()
    try session.send(#""count""#)
    #expect(session.tree.takeCut().changed.map(\.id) == [1])
  }

  // MARK: Restored trees

  @Test func restoredTree_hasNothingToWrite() throws {
    let session = try pile()
    try session.send(#"{"attach":{"_0":3}}"#)
    let restored = try TestSession(Pile(), restoring: try session.savedSnapshot())
    #expect(restored.tree.takeCut().changed == [])
    try restored.send(#"{"toggle":{"_0":7}}"#)
    let state = restored.tree.takeCut().changed.first?.state
    #expect(state?.text == #"[{"op":"replace","path":"/rows/7/isDone","value":true}]"#)
    #expect(state?.sequence == [1])
  }

  @Test func restoredTree_goesOnWithTheChanges() throws {
    let session = try pile()
    var stored = try session.tree.snapshot()
    for row in 1...3 {
      try session.send(#"{"toggle":{"_0":\#(row)}}"#)
      stored.apply(session.tree.takeCut())
    }
    #expect(stored.nodes[1]?.changes.last == 3)
    let restored = try TestSession(Pile(), restoring: stored)
    #expect(restored.tree.takeCut().changed == [])
    try restored.send(#"{"toggle":{"_0":7}}"#)
    #expect(restored.tree.takeCut().changed.first?.state.sequence == [4])
  }

  /// A change would not be one of what is stored, which has no such member.
  @Test func restoredState_ofAnotherShape_isWrittenWhole() throws {
    let session = try pile()
    var stored = try session.tree.snapshot()
    let node = try #require(stored.nodes[1])
    stored.nodes[1] = NodeSnapshot(
      id: 1, type: node.type, version: node.version,
      state: node.state?.replacing(#","isDone":false"#, with: #", "isDone":false"#),
      children: node.children, effects: [])
    let restored = try TestSession(Pile(), restoring: stored)
    guard case .rewritten = restored.tree.takeCut().changed.first?.state else {
      Issue.record("not whole")
      return
    }
  }

  // MARK: Any changes

  /// What a store has written, put together, is what the tree has: cuts at any moment, some merged because the store was
  /// away, some written twice, and now and then the tree leaves memory and comes back.
  @Test(arguments: TestRun.seeds(1, new: TestRun.volume(1, nightly: 5)))
  func randomCuts_makeTheSnapshot(seed: UInt64) throws {
    var random = SeededGenerator(state: seed << 32)
    var (changes, bases, restorations) = (0, 0, 0)
    for sequence in 1...25 {
      var session = try TestSession(Pile(count: Int.random(in: 0...40, using: &random)))
      var stored = TreeSnapshot(session.tree.takeCut())
      var waiting: TreeCut?
      for _ in 1...80 {
        let nodes = try session.tree.snapshot().nodes.keys.sorted()
        let action = Pile.ViewAction.random(using: &random)
        let json = String(decoding: try StateCoder.encode(action), as: UTF8.self)
        try? session.act(json, to: .id(try #require(nodes.randomElement(using: &random))))
        guard Int.random(in: 1...3, using: &random) == 1 else { continue }
        let cut = session.tree.takeCut()
        for node in cut.changed {
          if case .changed = node.state { changes += 1 }
          if case .rewritten = node.state { bases += 1 }
        }
        if waiting == nil { waiting = cut } else { waiting?.append(cut) }
        let all = try #require(waiting)
        guard Int.random(in: 1...3, using: &random) > 1 else { continue }
        for _ in 0..<Int.random(in: 1...2, using: &random) { stored.apply(all) }
        waiting = nil
        try #require(try stored.normalized == session.tree.snapshot().normalized, "seed \(seed), \(sequence)")
        guard Int.random(in: 1...8, using: &random) == 1 else { continue }
        session = try TestSession(Pile(), restoring: stored)
        restorations += 1
        try #require(session.restoreReport?.lost == [])
      }
    }
    #expect(changes > 100 && bases > 100 && restorations > 20)
  }
}
