import Foundation
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// How many pages a commit writes.
extension SQLiteStoreTests {
  /// How many pages the commit of a cut appends to the log: each with 24 bytes of its own.
  private func countPages(_ store: SQLiteStore, _ lease: SessionLease, _ cut: SessionCut) throws -> Int {
    let before = try logSize()
    let result = try store.write(lease, cut)
    #expect(result == "written")
    return try (logSize() - before) / (StoreDamage.pageSize + 24)
  }

  private func logSize() throws -> Int {
    try FileManager.default.attributesOfItem(atPath: directory.store + "-wal")[.size] as? Int ?? -1
  }

  /// A cut of an action that changes the state of one node.
  private func action(_ version: Int64, _ state: StateCut, node id: NodeID = 1) -> SessionCut {
    var node = NodeCut(StoreSample.node(id))
    (node.children, node.effects, node.state) = (nil, nil, state)
    var cut = StoreSample.cut(
      StoreSample.state(revision: Int(version), clients: [StoreSample.client(number: Int(version))], isHeld: true),
      version: version)
    cut.tree = TreeCut(root: 1, lastID: id, transactions: UInt64(version), changed: [node], removed: [])
    cut.isProgress = true
    return cut
  }

  /// Sessions beside it, with rows on both sides of its own.
  private func withSessionAmongOthers(
    _ nodes: [NodeSnapshot], _ body: (SQLiteStore, SessionLease) throws -> Void
  ) throws {
    let store = try open()
    defer { store.close() }
    var lease: SessionLease?
    for number in 1...5 {
      let other = try store.create("\(number)", StoreSample.cut(changed: number == 3 ? nodes : [StoreSample.node(1)]))
      _ = try store.write(other, action(2, .unchanged))
      if number == 3 { lease = other }
    }
    try body(store, try #require(lease))
  }

  /// An action that changes a small state writes one page.
  @Test(arguments: [1, 7]) func actionOnASmallState_writesOnePage(node id: NodeID) throws {
    try withSessionAmongOthers((1...7).map { StoreSample.node($0, #"{"count":100}"#) }) { store, lease in
      let counts = try (3...20).map { version in
        let state = StateCut.replaced(Array(#"{"count":\#(100 + version)}"#.utf8))
        return try countPages(store, lease, action(Int64(version), state, node: id))
      }
      #expect(counts.allSatisfy { $0 == 1 }, "\(counts)")
    }
  }

  /// An action that changes a large state writes one page, however many changes of it there are; now and then, as a page is
  /// full, those beside it as well.
  @Test func actionOnALargeState_writesOnePage() throws {
    let base = "[" + String(repeating: "0,", count: StateCut.smallSize) + "0]"
    try withSessionAmongOthers([StoreSample.node(1, base), StoreSample.node(2)]) { store, lease in
      let counts = try (1...300).map { number in
        let patch = StatePatch(
          sequence: number, operations: Array(#"[{"op":"replace","path":"/0","value":\#(1000 + number)}]"#.utf8))
        return try countPages(store, lease, action(Int64(number) + 2, .changed([patch])))
      }
      #expect(counts.count { $0 == 1 } >= 270, "\(counts)")
      #expect(counts.reduce(0, +) < 450, "\(counts)")
      let loaded = try #require(try store.load("3"))
      #expect(loaded.tree.nodes[1]?.state?.prefix(7) == "[1300,0")
    }
  }
}
