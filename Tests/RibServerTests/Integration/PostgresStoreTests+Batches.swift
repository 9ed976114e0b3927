import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// What is written in one batch.
extension PostgresStoreTests {
  /// As many statements as for one, and each session has its own result.
  @Test func batch_isWrittenWithoutThoseThatAreLost() throws {
    try withNodes { one, two, _ in
      let names = (0..<40).map { "\($0)" }
      let leases = try names.map { try one.create($0, Self.held) }
      for name in names where Int(name)! % 4 == 0 { _ = try two.load(name) }
      let cut = { (index: Int) in
        var cut = StoreSample.cut(
          StoreSample.state(revision: 100 + index, isHeld: true), changed: [StoreSample.node(1, "\(index)")],
          nacks: [StoreSample.refusal(index + 1)], version: 2)
        cut.isProgress = index % 2 == 0
        return cut
      }
      var requests = leases.enumerated().map { StoreRequest.write($1, cut($0)) }
      requests.append(.create(StoreSample.identity("new"), Self.held))
      let results = try one.perform(requests)
      for (index, result) in results.dropLast().enumerated() {
        switch result {
        case .written(let lease): #expect(index % 4 != 0 && lease == leases[index])
        case .lost: #expect(index % 4 == 0)
        default: Issue.record("\(result)")
        }
        let loaded = try #require(try one.load("\(index)"))
        #expect(loaded.state.revision == (index % 4 == 0 ? 1 : 100 + index))
        #expect(loaded.tree.nodes[1]?.state == (index % 4 == 0 ? "0" : "\(index)"))
        #expect(loaded.nacks.count == (index % 4 == 0 ? 0 : 1))
      }
      guard case .written? = results.last else {
        Issue.record("it was not created")
        return
      }
    }
  }

  /// Two writes of one session in a batch are made one after the other.
  @Test func sessionThatIsTwiceInABatch_isWrittenInOrder() throws {
    try withNodes { store, _, _ in
      let lease = try store.create()
      let results = try store.perform(
        (2...4).map { .write(lease, StoreSample.cut(StoreSample.state(revision: $0), version: Int64($0))) })
      #expect(results.count == 3)
      #expect(try store.load()?.state.revision == 4)
    }
  }

  /// States with changes since their base: what is repeated is there once.
  @Test func changesOfAState_areAppendedOnce() throws {
    try withNodes { store, _, _ in
      let base = #"{"count":0,"text":""# + String(repeating: "x", count: 2000) + #""}"#
      let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, base), StoreSample.node(2)]))
      var version: Int64 = 1
      let write = { (state: StateCut) throws in
        version += 1
        var node = NodeCut(StoreSample.node(1))
        (node.children, node.effects, node.state) = (nil, nil, state)
        var cut = StoreSample.cut(version: version)
        cut.tree = TreeCut(root: 1, lastID: 2, transactions: 1, changed: [node], removed: [])
        cut.isProgress = true
        for _ in 0..<2 {
          let written = try store.write(lease, cut)
          #expect(written == "written")
        }
      }
      let change = { (sequence: Int, count: Int) in
        StatePatch(
          sequence: sequence, operations: Array(#"[{"op":"replace","path":"/count","value":\#(count)}]"#.utf8))
      }
      try write(.changed([change(1, 5)]))
      try write(.changed([change(2, 6), change(3, 7)]))
      let state = base.replacing(#""count":0"#, with: #""count":7"#)
      let loaded = try #require(try store.load())
      #expect(loaded.tree.nodes[1]?.state == state && loaded.tree.nodes[1]?.changes.last == 3)
      #expect(loaded.tree.nodes[2] == StoreSample.node(2))
    }
  }

  /// Statistics say that sessions have few riblets: one with many is written all the same.
  @Test func sessionWithManyRiblets_isWrittenInTime() throws {
    try withNodes { store, _, _ in
      let count = 5000
      for number in 0..<50 {
        _ = try store.create("\(number)", StoreSample.cut(changed: (1...10).map { StoreSample.node($0) }))
      }
      let lease = try store.create("one", StoreSample.cut(changed: (1...count).map { StoreSample.node($0) }))
      try analyze(store)
      var cut = StoreSample.cut(changed: (1...count).map { StoreSample.node($0) }, version: 2)
      cut.tree = TreeCut(
        root: 1, lastID: count, transactions: 1,
        changed: (1...count).map { id in
          var node = NodeCut(StoreSample.node(id))
          (node.children, node.effects, node.state) = (nil, nil, .replaced(Array("7".utf8)))
          return node
        }, removed: [])
      let updated = try store.write(lease, cut)
      #expect(updated == "written")
      cut = StoreSample.cut(changed: [StoreSample.node(1)], removed: Array(2...count), version: 3)
      let removed = try store.write(lease, cut)
      #expect(removed == "written")
      #expect(try store.load()?.tree.nodes.count == 1)
    }
  }

  private func analyze(_ store: PostgresStore) throws {
    try store.transact { transaction throws(PostgresError) in
      for table in ["rib_session", "rib_riblet"] {
        _ = try transaction.run(PostgresStatement(PostgresQuery("ANALYZE \(table)", isPrepared: false)))
      }
    }
  }

  /// A store that has lost some of a state's changes says so, and does not close the gap.
  @Test func changeThatIsMissing_isNoticed() throws {
    try withNodes { store, _, _ in
      let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, #"{"a":1}"#)]))
      var node = NodeCut(StoreSample.node(1))
      let patch = StatePatch(sequence: 3, operations: Array(#"[{"op":"replace","path":"/a","value":2}]"#.utf8))
      (node.children, node.effects, node.state) = (nil, nil, .changed([patch]))
      var cut = StoreSample.cut(version: 2)
      cut.tree = TreeCut(root: 1, lastID: 2, transactions: 1, changed: [node], removed: [])
      do throws(StoreError) {
        _ = try store.perform([.write(lease, cut)])
        Issue.record("it was written")
      } catch {
        #expect(!error.isGlobal && error.description.contains("no change 2"), "\(error)")
      }
    }
  }

  /// One of them has a text that the database refuses: the others are written.
  @Test func cutThatCannotBeWritten_isNoFailureOfTheStore() throws {
    try withNodes { store, _, _ in
      let lease = try store.create()
      var bad = NodeSnapshot(id: 2, type: "a\0b", version: 1, state: "0", children: [:], effects: [])
      do throws(StoreError) {
        _ = try store.perform([.write(lease, StoreSample.cut(changed: [bad], version: 2))])
        Issue.record("it was written")
      } catch {
        #expect(!error.isGlobal, "\(error)")
      }
      bad = StoreSample.node(2)
      #expect(try store.write(lease, StoreSample.cut(changed: [bad], version: 2)) == "written")
      #expect(try store.load("a\0b") == nil)
    }
  }
}
