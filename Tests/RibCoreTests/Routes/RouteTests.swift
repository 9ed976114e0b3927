import RibCore
import RibTesting
import Testing
import Wire

/// Children whose states are parts of their parents'.
struct RouteTests {
  private let journal = Journal()

  // MARK: Up and down

  @Test(
    arguments: [("ward/tallies[1]", 6), ("ward/pick", 7), ("guest/tallies", 8), ("editing", 4)] as [(String, NodeID)])
  func action_ofAChild_changesTheStatesAbove(path: String, id: NodeID) throws {
    let session = try makeSession()
    let patch = try session.send("\"count\"", to: .path(path))
    let ward = path.hasPrefix("ward") ? 2 : path.hasPrefix("guest") ? 3 : nil
    let expected = [id, ward, 1].compactMap(\.self).map { node in
      node == id ? "replace /nodes/\(node)/state/count 1" : "replace /nodes/\(node)/state/sum 1"
    }
    #expect(patch.sorted() == expected.sorted())
  }

  @Test func change_ofTheRootsState_showsInTheChildren() throws {
    let session = try makeSession([
      "all": { state in
        state.ward.tallies[1].count = 5
        state.guest?.tallies[0].count = 2
        state.phase = .editing(.init(id: 8, count: 1))
      }
    ])
    #expect(
      try session.send("\"all\"").sorted()
        == [
          "replace /nodes/1/state/sum 8", "replace /nodes/2/state/sum 5", "replace /nodes/6/state/count 5",
          "replace /nodes/3/state/sum 2", "replace /nodes/8/state/count 2", "replace /nodes/4/state/count 1",
        ].sorted())
  }

  @Test func change_inTheMiddle_showsAboveAndBelow() throws {
    let session = try makeSession()
    try session.send("\"count\"", to: .path("ward/tallies"))
    #expect(
      try session.send("\"clear\"", to: .path("ward")).sorted() == [
        "replace /nodes/1/state/sum 0", "replace /nodes/2/state/sum 0", "replace /nodes/5/state/count 0",
      ])
  }

  @Test func effect_ofAChild_changesTheStatesAbove() async throws {
    let session = try makeSession()
    try session.send("\"load\"", to: .path("ward/pick"))
    try await session.runNextEffect()
    #expect(session.property("count", of: 7) == .integer(1))
    #expect(session.property("sum") == .integer(1))
    #expect(try session.snapshot() == session.view)
  }

  @Test func output_reachesTheParentAndNamesTheElement() throws {
    let session = try makeSession()
    try session.send("\"say\"", to: .path("ward/tallies[1]"))
    // The ward's own output reaches the root.
    #expect(session.property("heard", of: 2) == .array([.integer(2)]))
    #expect(session.property("heard") == .array([.integer(2)]))
    // The guest's says nothing that the root listens to.
    try session.send("\"say\"", to: .path("guest/tallies"))
    #expect(session.property("heard", of: 3) == .array([.integer(4)]))
    #expect(session.property("heard") == .array([.integer(2)]))
  }

  @Test func start_activatesParentsFirst() throws {
    _ = try makeSession()
    #expect(
      journal.take() == [
        "+ward 1", "+ward 2", "+tally 8", "+tally 1", "+tally 2", "+tally 3", "+tally 4",
      ])
  }

  // MARK: Optionals, cases

  @Test func optional_comesAndGoes() throws {
    let session = try makeSession([
      "none": { $0.guest = nil }, "some": { $0.guest = .init(id: 2, tallies: [.init(id: 4)]) },
    ])
    _ = journal.take()
    #expect(
      try session.send("\"none\"") == ["remove /nodes/1/children/guest/ids/0", "remove /nodes/3", "remove /nodes/8"])
    #expect(session.tree.typeName(at: .path("guest")) == nil)
    #expect(journal.take() == [])
    try session.send("\"some\"")
    #expect(try session.ids(on: "guest") == [9])
    #expect(journal.take() == ["+ward 2", "+tally 4"])
  }

  @Test func optional_ofAnotherID_isANewNode() throws {
    let session = try makeSession(["other": { $0.guest = .init(id: 5, pick: .init(id: 6)) }])
    _ = journal.take()
    try session.send("\"other\"")
    #expect(try session.ids(on: "guest") == [9])
    #expect(try session.ids(on: "pick", of: 9) == [10])
    // The old ones are not told: their states are gone, and the new one is not theirs.
    #expect(journal.take() == ["+ward 5", "+tally 6"])
    #expect(session.tree.nodeCount == 8)
  }

  @Test func optional_ofTheSameID_isTheSameNode() throws {
    let session = try makeSession(["same": { $0.guest = .init(id: 2, tallies: [.init(id: 4, count: 9)]) }])
    _ = journal.take()
    try session.send("\"same\"")
    #expect(try session.ids(on: "guest") == [3])
    #expect(session.property("count", of: 8) == .integer(9))
    #expect(journal.take() == [])
  }

  @Test func child_thatChangesItsID_isANewNode() throws {
    let session = try makeSession()
    _ = journal.take()
    try session.send(#"{"rename":7}"#, to: .path("ward/pick"))
    #expect(try session.ids(on: "pick", of: 2) == [9])
    #expect(session.property("id", of: 9) == .integer(7))
    #expect(journal.take() == ["+tally 7"])
  }

  @Test func optional_ofAComputedProperty_setsItOnce() throws {
    let session = try TestSession(Queue())
    #expect(
      try session.send("\"count\"", to: .path("first")).sorted() == [
        "replace /nodes/1/state/0 1", "replace /nodes/2/state/count 1",
      ])
    #expect(try session.back())
    #expect(session.view["nodes"]?["1"]?["state"]?.text == "[0]")
    #expect(try session.ids(on: "first") == [3])
  }

  @Test func case_followsTheCase() throws {
    let session = try makeSession([
      "done": { $0.phase = .done($0.phase.tally ?? .init(id: 0)) }, "idle": { $0.phase = .idle },
    ])
    try session.send("\"count\"", to: .path("editing"))
    try session.send("\"done\"")
    #expect(try session.ids(on: "editing") == [])
    #expect(try session.ids(on: "done") == [9])
    try session.send("\"count\"", to: .path("done"))
    #expect(session.property("count", of: 9) == .integer(2))
    #expect(session.property("sum") == .integer(2))
    try session.send("\"idle\"")
    #expect(try session.ids(on: "done") == [])
    #expect(session.property("sum") == .integer(0))
  }

  // MARK: Arrays

  @Test func array_inAnotherOrder_keepsTheNodes() throws {
    let session = try makeSession(["turn": { $0.ward.tallies.reverse() }])
    try session.send("\"count\"", to: .path("ward/tallies[0]"))
    _ = journal.take()
    try session.send("\"turn\"")
    #expect(try session.ids(on: "tallies", of: 2) == [6, 5])
    #expect(journal.take() == [])
    try session.send("\"count\"", to: .path("ward/tallies[1]"))
    #expect(session.property("count", of: 5) == .integer(2))
    #expect(session.property("count", of: 6) == .integer(0))
  }

  @Test func array_comesAndGoesByElement() throws {
    let session = try makeSession([
      "insert": { $0.ward.tallies.insert(.init(id: 9), at: 0) }, "remove": { $0.ward.tallies.removeAll { $0.id == 1 } },
    ])
    try session.send("\"insert\"")
    #expect(try session.ids(on: "tallies", of: 2) == [9, 5, 6])
    try session.send("\"remove\"")
    #expect(try session.ids(on: "tallies", of: 2) == [9, 6])
    try session.send("\"count\"", to: .path("ward/tallies[1]"))
    #expect(session.property("count", of: 6) == .integer(1))
  }

  @Test func array_ofMoreElementsThanATransactionHasSteps_settles() throws {
    let count = Tree.settleLimit + 1
    let session = try TestSession(
      Census(
        state: .init(ward: .init(id: 1, tallies: (1...count).map { Tally.State(id: $0) })),
        changes: ["first": { $0.ward.tallies[0].count = 5 }]))
    #expect(session.tree.nodeCount == count + 2)
    try session.act("\"first\"")
    #expect(session.property("sum") == .integer(5))
    #expect(session.property("count", of: 3) == .integer(5))
  }

  @Test func array_ofElementsWithOneID_hasAChildForTheFirst() throws {
    let session = try makeSession(["double": { $0.ward.tallies += [.init(id: 1, count: 5), .init(id: 9)] }])
    try session.send("\"double\"")
    #expect(try session.ids(on: "tallies", of: 2) == [5, 6, 9])
    try session.send("\"count\"", to: .id(5))
    #expect(session.property("count", of: 5) == .integer(1))
    #expect(session.property("sum") == .integer(6))
  }

  // MARK: Too late

  @Test(arguments: ["ward/tallies[1]", "ward/pick"])
  func queuedAction_afterItsStateIsGone_isDropped(path: String) throws {
    let session = try makeSession()
    try session.send("\"leaveAndCount\"", to: .path(path))
    #expect(session.tree.typeName(at: .path(path)) == nil)
    #expect(session.property("sum") == .integer(0))
    #expect(session.tree.droppedActions == 1)
  }

  @Test func queuedAction_afterAnotherTookItsPlace_isDropped() throws {
    let session = try makeSession(["spare": { $0.ward.spare = .init(id: 7) }])
    try session.send("\"spare\"")
    try session.send("\"leaveAndCount\"", to: .path("ward/pick"))
    #expect(try session.ids(on: "pick", of: 2) == [9])
    #expect(session.property("count", of: 9) == .integer(0))
    #expect(session.tree.droppedActions == 1)
  }

  @Test func effects_endWithTheirElement() async throws {
    let session = try makeSession(["remove": { $0.ward.tallies.removeFirst() }])
    try session.send("\"load\"", to: .path("ward/tallies"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.send("\"remove\"")
    #expect(session.tree.effectCount == 0)
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
    #expect(session.property("sum") == .integer(0))
  }

  // MARK: Undo

  @Test(arguments: ["ward/tallies[1]", "ward/pick", "guest/tallies", "editing"])
  func failure_afterAChildsChange_bringsBackTheStatesAbove(path: String) throws {
    let session = try makeSession(["12": { $0.ward.tallies[0].count = 12 }])
    try session.send("\"12\"")
    #expect(try session.refusal(of: "\"count\"", to: .path(path)).code == .failed)
    #expect(session.property("sum") == .integer(12))
    // Nothing of it comes out later.
    try session.send("\"clear\"", to: .path("ward"))
    #expect(session.property("sum") == .integer(0))
    try session.send("\"count\"", to: .path(path))
    #expect(session.property("sum") == .integer(1))
  }

  @Test func failure_afterAChildIsGone_bringsItBack() throws {
    let session = try makeSession([
      "fail": { state in
        state.guest = nil
        state.ward.tallies = [.init(id: 9, count: 13)]
        state.ward.pick = nil
      }
    ])
    let before = session.tree.nodeCount
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    #expect(session.tree.nodeCount == before)
    for (path, id) in [("ward/tallies[1]", 6), ("ward/pick", 7), ("guest/tallies", 8)] {
      try session.send("\"count\"", to: .path(path))
      #expect(session.property("count", of: id) == .integer(1))
    }
  }

  @Test func failure_whileNoIDIsTwice_leavesTheChildAtTheFirstOfThem() throws {
    let session = try makeSession([
      "double": { $0.ward.tallies.append(.init(id: 1, count: 5)) },
      // The last one is found, and cannot be shown, where the committed state has the second one of its id.
      "fail": { $0.ward.tallies = [.init(id: 2), .init(id: 9), .init(id: 1, count: -1)] },
    ])
    try session.send("\"double\"")
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    // Commits the ward without a look at its tallies.
    try session.send("\"count\"", to: .path("ward/pick"))
    try session.send("\"count\"", to: .id(5))
    #expect(session.property("count", of: 5) == .integer(1))
  }

  /// Census 1; `ward` 2, `guest` 3, `editing` 4; the ward's tallies 5 and 6 and its pick 7, the guest's tally 8.
  private func makeSession(_ changes: [String: Census.Change] = [:]) throws -> TestSession {
    let state = Census.State(
      ward: .init(id: 1, tallies: [.init(id: 1), .init(id: 2)], pick: .init(id: 3)),
      guest: .init(id: 2, tallies: [.init(id: 4)]), phase: .editing(.init(id: 8)))
    return try TestSession(Census(state: state, journal: journal, changes: changes))
  }
}
