import Foundation
import GRDB
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// States that are kept as a base and the changes since.
extension SQLiteStoreTests {
  private static let base = #"{"b":[1],"a":18446744073709551615}"#

  /// A cut of node 1, of which only the state has changed.
  private func cut(_ state: StateCut) -> SessionCut {
    var node = NodeCut(StoreSample.node(1))
    (node.children, node.effects, node.state) = (nil, nil, state)
    var cut = StoreSample.cut()
    cut.tree = TreeCut(root: 1, lastID: 1, transactions: 2, changed: [node], removed: [])
    return cut
  }

  private func change(_ sequence: Int, _ operations: String) -> StatePatch {
    StatePatch(sequence: sequence, operations: Array(operations.utf8))
  }

  /// How many changes there are, but for small states.
  private func countChanges() throws -> Int { try count("change WHERE seq > 0") }

  private func withStore(_ body: (SQLiteStore, SessionLease) throws -> Void) throws {
    let store = try open()
    defer { store.close() }
    let node = StoreSample.node(1, Self.base, children: ["slot": ["": 2]])
    try body(store, try store.create("one", StoreSample.cut(changed: [node])))
  }

  @Test func changes_makeTheState() throws {
    try withStore { store, lease in
      _ = try store.write(lease, cut(.changed([change(1, #"[{"op":"add","path":"/b/1","value":2}]"#)])))
      _ = try store.write(
        lease,
        cut(
          .changed([
            change(2, #"[{"op":"remove","path":"/b/0"}]"#), change(3, #"[{"op":"add","path":"/c","value":-0}]"#),
          ])))
      let node = try #require(try store.load()?.tree.nodes[1])
      #expect(node.state == #"{"a":18446744073709551615,"b":[2],"c":-0}"#)
      #expect(node.children == ["slot": ["": 2]])
      #expect(node.changes.last == 3)
    }
  }

  @Test func change_thatIsWrittenAgain_isWrittenOnce() throws {
    try withStore { store, lease in
      let cut = cut(.changed([change(1, #"[{"op":"add","path":"/b/1","value":2}]"#)]))
      for _ in 1...2 { _ = try store.write(lease, cut) }
      #expect(try store.load()?.tree.nodes[1]?.state == #"{"a":18446744073709551615,"b":[1,2]}"#)
      #expect(try countChanges() == 1)
    }
  }

  @Test func newBase_takesThePlaceOfTheChanges() throws {
    try withStore { store, lease in
      let first = change(1, #"[{"op":"remove","path":"/a"}]"#)
      _ = try store.write(lease, cut(.changed([first])))
      let rewritten = cut(.rewritten(base: Array(#"{"c":1}"#.utf8), changes: []))
      for _ in 1...2 { _ = try store.write(lease, rewritten) }
      #expect(try countChanges() == 0)
      let later = change(1, #"[{"op":"replace","path":"/c","value":2}]"#)
      _ = try store.write(lease, cut(.rewritten(base: Array(#"{"c":1}"#.utf8), changes: [later])))
      #expect(try store.load()?.tree.nodes[1]?.state == #"{"c":2}"#)
    }
  }

  @Test func changes_goWithTheirNode_andTheirSession() throws {
    try withStore { store, lease in
      _ = try store.write(lease, cut(.changed([change(1, "[]")])))
      _ = try store.write(lease, StoreSample.cut(changed: [StoreSample.node(2)], removed: [1]))
      #expect(try count("change WHERE node = 1") == 0)
      _ = try store.write(lease, StoreSample.cut(changed: [StoreSample.node(1)]))
      _ = try store.write(lease, cut(.changed([change(1, "[]")])))
      _ = try store.perform(.remove(sessionID: "one", lease))
      #expect(try count("change") == 0)
    }
  }

  /// A state of which a part is missing is not a state.
  @Test(arguments: [[1, 3], [2], [1, 2]]) func changesThatDoNotFit_areNotRead(_ numbers: [Int]) throws {
    try withStore { store, lease in
      // The second one fits no base.
      let changes = numbers.map { change($0, $0 == 2 ? #"[{"op":"remove","path":"/x"}]"# : "[]") }
      _ = try store.write(lease, cut(.changed(changes)))
      guard case .refused = try store.perform(.load(sessionID: "one", tokenHash: nil)) else {
        Issue.record("it is read")
        return
      }
    }
  }

  /// A small state lies beside those of others, a large one in its node's row: from one to the other and back.
  @Test func states_growAndShrink() throws {
    try withStore { store, lease in
      let large = "\"" + String(repeating: "x", count: StateCut.smallSize) + "\""
      for state in ["1", large, "2", large, large, "3"] {
        _ = try store.write(lease, cut(.rewritten(base: Array(state.utf8), changes: [])))
        #expect(try count("change") == (state == large ? 0 : 1))
        #expect(try count("node WHERE length(state) > 0") == (state == large ? 1 : 0))
        _ = try store.write(lease, cut(.unchanged))
        let read = try store.database.read { try SQLiteStore.loadNodes(of: lease.row, SQLiteStore.Statements($0)) }
        #expect(read[1]?.state == state)
      }
      for state in ["4", "5"] { _ = try store.write(lease, cut(.replaced(Array(state.utf8)))) }
      #expect(try count("change") == 1)
      #expect(try store.load()?.tree.nodes[1]?.state == "5")
    }
  }

  /// A file may say otherwise: of an earlier version that was not migrated in full, or put together by hand.
  @Test func smallState_thatLiesInItsNodesRow_isReplaced() throws {
    try withStore { store, lease in
      try store.database.writeWithoutTransaction {
        try $0.execute(sql: "DELETE FROM change; UPDATE node SET state = '1'")
      }
      _ = try store.write(lease, cut(.replaced(Array("2".utf8))))
      #expect(try store.load()?.tree.nodes[1]?.state == "2")
    }
  }

  @Test func smallStateThatIsMissing_isNoState() throws {
    try withStore { store, _ in
      try store.database.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM change") }
      guard case .refused(let error) = try store.perform(.load(sessionID: "one")) else {
        Issue.record("it is read")
        return
      }
      #expect("\(error)".contains("The state of node 1 is missing."))
    }
  }

  @Test(arguments: ["[1]", "[1,2,3]", "{}", "["]) func numbersThatAreNotTheClients_areNotRead(_ numbers: String) throws
  {
    try withStore { store, lease in
      try store.database.writeWithoutTransaction {
        try $0.execute(
          sql: "INSERT INTO change VALUES (?, 0, 0, ?, ?, 2, 1, 1, 1, 1)",
          arguments: [lease.row, numbers, lease.number])
      }
      guard case .refused = try store.perform(.load(sessionID: "one")) else {
        Issue.record("it is read")
        return
      }
    }
  }

  /// What the session's own row does not have is taken into it when the session is read, and goes when the row is written.
  @Test func progress_isTakenIntoTheSession() throws {
    try withStore { store, lease in
      var cut = StoreSample.cut(
        StoreSample.state(revision: 7, clients: [StoreSample.client(number: 5)], isHeld: true), version: 2)
      cut.isProgress = true
      #expect(try store.write(lease, cut) == "written")
      cut.isProgress = false
      cut.version = 1
      #expect(try store.write(lease, cut) == "lost")
      #expect(try count("change WHERE node = 0") == 1)
      cut.version = 3
      #expect(try store.write(lease, cut) == "written")
      #expect(try count("change WHERE node = 0") == 0)
      (cut.isProgress, cut.version, cut.state.revision) = (true, 4, 8)
      #expect(try store.write(lease, cut) == "written")
      for number in 2...3 {
        let loaded = try #require(try store.load())
        #expect(loaded.lease.number == Int64(number))
        #expect(loaded.state.revision == 8 && loaded.state.clients == cut.state.clients)
        #expect(Array(loaded.tree.nodes.keys) == [1])
        #expect(try count("change WHERE node = 0") == 0)
      }
      _ = try store.perform(.remove(sessionID: "one", SessionLease(row: lease.row, number: 3)))
      #expect(try count("change") == 0)
    }
  }

  @Test func smallStateOfTheFirstVersion_isReplaced() throws {
    let queue = try DatabaseQueue(path: directory.store)
    try SQLiteStore.migrator.migrate(queue, upTo: "1")
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO session VALUES (7, 'one', 3, 'app', NULL, 5, 1, 2, 9, '[]', '[]', 1, 0, 77, NULL, NULL, 1);
          INSERT INTO node VALUES (7, 1, 'Node', 1, '1', NULL, NULL);
          """)
    }
    try queue.close()
    let store = try open()
    defer { store.close() }
    let lease = try #require(try store.load()).lease
    _ = try store.write(lease, cut(.replaced(Array("2".utf8))))
    #expect(try store.load()?.tree.nodes[1]?.state == "2")
    #expect(try count("change") == 1)
  }

  /// A file that was written before there were changes.
  @Test func fileOfTheFirstVersion_isReadAndChanged() throws {
    let queue = try DatabaseQueue(path: directory.store)
    try SQLiteStore.migrator.migrate(queue, upTo: "1")
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO session VALUES (7, 'one', 3, 'app', NULL, 5, 1, 2, 9, '[]', '[]', 1, 0, 77, NULL, NULL, 1);
          INSERT INTO node VALUES (7, 1, 'Node', 1, '{"b":[1],"a":2}', '{"slot":{"":2}}', NULL);
          INSERT INTO node VALUES (7, 2, 'Leaf', 4, NULL, NULL, NULL);
          """)
    }
    try queue.close()
    let store = try open()
    defer { store.close() }
    let loaded = try #require(try store.load())
    #expect(
      loaded.tree.nodes == [
        1: StoreSample.node(1, #"{"b":[1],"a":2}"#, children: ["slot": ["": 2]]),
        2: NodeSnapshot(id: 2, type: "Leaf", version: 4, state: nil, children: [:], effects: []),
      ])
    _ = try store.write(loaded.lease, cut(.changed([change(1, #"[{"op":"remove","path":"/a"}]"#)])))
    #expect(try store.load()?.tree.nodes[1]?.state == #"{"b":[1]}"#)
  }
}
