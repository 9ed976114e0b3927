import RibCore
import RibTesting
import Testing
import Wire

/// What a tree comes back as.
struct TreeSnapshotTests {
  // MARK: The same tree

  @Test func restored_showsTheSameView() throws {
    let session = try grownTree()
    let snapshot = try session.savedSnapshot()
    #expect(try session.tree.snapshot() == snapshot)
    let restored = try TestSession(Branch(depth: 2), restoring: snapshot)
    #expect(try restored.snapshot().text == session.snapshot().text)
    #expect(restored.restoreReport?.restored.sorted() == snapshot.nodes.keys.sorted())
    #expect(restored.restoreReport?.lost == [])
    #expect(restored.tree.nodeCount == session.tree.nodeCount)
  }

  @Test func restored_goesOnAsBefore() throws {
    let session = try grownTree()
    let restored = try TestSession(Branch(depth: 2), restoring: try session.savedSnapshot())
    for (action, path) in Self.more {
      let patch = try session.send(action, to: .path(path))
      #expect(try restored.send(action, to: .path(path)) == patch)
    }
    #expect(restored.view.text == session.view.text)
  }

  @Test func restored_canBeSavedAgain() throws {
    let first = try grownTree().savedSnapshot()
    let second = try TestSession(Branch(depth: 2), restoring: first).savedSnapshot()
    #expect(second.nodes == first.nodes)
    #expect(second.root == first.root)
    #expect(second.lastID == first.lastID)
  }

  @Test func restored_neverUsesAnIDAgain() throws {
    let branch = try TestSession(Branch(depth: 2))
    try branch.send(#""open""#)
    let gone = try #require(try branch.ids(on: "slot").first)
    let last = try #require(try branch.savedSnapshot().nodes.keys.max())
    try branch.send(#""close""#)
    let snapshot = try branch.savedSnapshot()
    #expect(snapshot.lastID == last)
    #expect(snapshot.nodes.keys.allSatisfy { $0 < gone })
    let restored = try TestSession(Branch(depth: 2), restoring: snapshot)
    #expect(try restored.refusal(of: #""count""#, to: .id(Int(gone))).code == .gone)
    try restored.send(#""open""#)
    #expect(try restored.ids(on: "slot") == [Int64(last) + 1])
  }

  @Test func restored_startsItsCountOfIDsAboveEveryNode() throws {
    var snapshot = try grownTree().savedSnapshot()
    let last = snapshot.lastID
    snapshot.lastID = 1
    let restored = try TestSession(Branch(depth: 2), restoring: snapshot)
    try restored.send(#""addTwig""#)
    #expect(try restored.ids(on: "twigs").first == Int64(last) + 1)
  }

  // MARK: Containers

  @Test func lazyTab_thatWasInFront_comesBackBehind() throws {
    let session = try TestSession(Branch(depth: 0))
    try session.send(#""count""#, to: .path("tabs[0]"))
    try session.send(#"{"select":2}"#)
    let restored = try TestSession(Branch(depth: 0), restoring: try session.savedSnapshot())
    #expect(restored.view.text == session.view.text)
    #expect(try restored.send(#""count""#, to: .path("tabs[0]")) == ["replace /nodes/3/state/count 2"])
    // The one that was never in front is still not there.
    #expect(restored.tree.typeName(at: .path("tabs[1]")) == nil)
    try restored.send(#"{"select":1}"#)
    #expect(restored.tree.typeName(at: .path("tabs[1]")) == "Bud")
  }

  @Test func embeddedState_isInItsOwnersNode() throws {
    let session = try TestSession(Branch(depth: 0))
    try session.send(#""addTwig""#)
    try session.send(#""sprout""#, to: .path("twigs"))
    try session.send(#""count""#, to: .path("twigs/leaf"))
    let snapshot = try session.savedSnapshot()
    let twig = try #require(session.ids(on: "twigs").first)
    #expect(snapshot.nodes[Int(twig)]?.type == "Twig")
    #expect(snapshot.nodes[Int(twig)]?.state == nil)
    #expect(snapshot.nodes[1]?.state?.contains(#""twigs":[{"id":1,"count":0,"leaf":{"count":1},"ratio":1}]"#) == true)
    let restored = try TestSession(Branch(depth: 0), restoring: snapshot)
    let patch = try restored.send(#""count""#, to: .path("twigs/leaf"))
    #expect(patch == ["replace /nodes/\(twig + 1)/state 2"])
  }

  @Test func elementsOfOneID_haveOneChildAndComeBack() throws {
    let session = try TestSession(Branch(depth: 0))
    try session.send(#""addTwig""#)
    var snapshot = try session.tree.snapshot()
    // Two elements of one id.
    let text = try #require(snapshot.nodes[1]?.state)
    let twig = #"{"id":1,"count":0,"ratio":1}"#
    try #require(text.contains(twig))
    snapshot = try snapshot.replacing(twig, with: "\(twig),{\"id\":1,\"count\":5,\"ratio\":1}")
    let restored = try TestSession(Branch(depth: 0), restoring: snapshot)
    #expect(try restored.ids(on: "twigs") == session.ids(on: "twigs"))
    #expect(try restored.snapshot().text == session.snapshot().text)
    try restored.send(#"{"removeTwig":0}"#)
    try restored.send(#"{"removeTwig":0}"#)
    #expect(restored.tree.nodeCount == 6)
  }

  // MARK: Life

  @Test func didRestore_comesBeforeDidBecomeActive() throws {
    let session = try TestSession(Conductor(whenActive: [.send("active")]))
    try session.carryOut(#"{"run":"song"},{"runUnnamed":{}},{"resume":"beat"}"#)
    let snapshot = try session.savedSnapshot()
    #expect(snapshot.nodes[1]?.effects.map(\.id) == ["song", nil, "beat"])
    #expect(snapshot.nodes[1]?.effects.map(\.isResumable) == [false, false, true])
    #expect(snapshot.nodes[1]?.effects.map(\.key) == session.pendingEffects.map(\.key))
    let restored = try TestSession(Conductor(whenActive: [.send("active")]), restoring: snapshot)
    #expect(
      try restored.log() == ["active", "back from song,?,beat", "the song was interrupted", "active"])
    #expect(restored.pending == [])
  }

  @Test func didRestore_ofANodeWithoutEffects_hasNoneInterrupted() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"run":"song"},{"run":"beat"},{"cancel":"beat"}"#)
    try await session.runNextEffect()
    let restored = try TestSession(Conductor(), restoring: try session.savedSnapshot())
    #expect(try restored.log() == ["song", "back from "])
  }

  @Test func didRestore_startsEffectsAgain() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"run":"song"}"#)
    let conductor = Conductor(whenActive: [.run("c")], whenRestored: [.sequence([.run("a"), .run("b")])])
    let restored = try TestSession(conductor, restoring: try session.savedSnapshot())
    #expect(restored.pending == ["a", "c"])
    try await restored.runNextEffect()
    #expect(restored.pending == ["c", "b"])
    #expect(restored.tree.droppedActions == 0)
  }

  @Test func didRestore_ofAnInactiveNode_startsNothing() throws {
    let session = try TestSession(Hall())
    let hall = Hall(conductor: Conductor(whenActive: [.run("b")], whenRestored: [.run("a")]))
    let restored = try TestSession(hall, restoring: try session.savedSnapshot())
    #expect(restored.tree.isActive(at: .path("stages[1]")) == false)
    #expect(try restored.log(of: 3) == ["back from "])
    #expect(restored.pending == ["a", "b"])
    try restored.send(#"{"select":1}"#)
    #expect(restored.pending == ["b"])
  }

  @Test func didRestore_thatCannotBeShown_isRefused() throws {
    let snapshot = try TestSession(Conductor()).savedSnapshot()
    let tree = Tree(root: Conductor(whenRestored: [.sendFailure]))
    let error = #expect(throws: RestoreError.self) { try tree.restore(snapshot, rendering: ViewRenderer()) }
    guard case .refused(let refusal) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.code == .failed)
    #expect(tree.nodeCount == 0)
  }

  // MARK: Support

  /// A tree with all containers in use, and an id that is not used any more.
  private func grownTree() throws -> TestSession {
    let session = try TestSession(Branch(depth: 2))
    let actions = [
      (#""open""#, ""), (#""count""#, "slot"), (#""open""#, "slot"), (#""push""#, ""), (#""push""#, ""),
      (#""count""#, "stack[1]"), (#"{"select":1}"#, ""), (#""count""#, "tabs[1]"), (#"{"select":2}"#, ""),
      (#""add""#, ""), (#""add""#, ""), (#""count""#, "items[0]"), (#"{"move":1}"#, ""), (#""sprout""#, ""),
      (#""count""#, "leaf"), (#""addTwig""#, ""), (#""addTwig""#, ""), (#""sprout""#, "twigs[1]"),
      (#""count""#, "twigs[1]/leaf"), (#""tell""#, "twigs[1]/leaf"), (#""reopen""#, "slot"), (#""close""#, "slot"),
      (#""open""#, "slot"), (#""addTwig""#, "slot"),
    ]
    for (action, path) in actions { try session.send(action, to: .path(path)) }
    return session
  }

  private static let more = [
    (#""push""#, ""), (#""pop""#, ""), (#""pop""#, ""), (#"{"select":0}"#, ""), (#"{"select":1}"#, ""),
    (#""tell""#, "twigs[1]/leaf"), (#""swapTwigs""#, ""), (#""count""#, "twigs[0]/leaf"), (#"{"move":1}"#, ""),
    (#"{"remove":0}"#, ""), (#""wither""#, ""), (#""sprout""#, ""), (#""close""#, ""), (#""open""#, ""),
    (#""count""#, "items"),
  ]
}

extension TreeSnapshot {
  /// The snapshot with other text in the root's state.
  fileprivate func replacing(_ text: String, with other: String) throws -> TreeSnapshot {
    // The root's state is a string in the snapshot's JSON.
    func quoted(_ text: String) -> String { text.replacing("\"", with: "\\\"") }
    let json = String(decoding: try StateCoder.encode(self), as: UTF8.self)
    return try StateCoder.decode(from: try StateCoder.read(json.replacing(quoted(text), with: quoted(other))))
  }
}
