package import Wire

extension Tree {
  /// The tree as it is to be saved if it leaves memory now.
  ///
  /// - Throws: ``/Wire/CaptureError`` if the `encode(to:)` of a state throws.
  package func snapshot() throws(CaptureError) -> TreeSnapshot {
    guard let root else { preconditionFailure("a tree that is not started has no snapshot") }
    let encoder = StateCoder.makeEncoder()
    var saved: [NodeID: NodeSnapshot] = [:]
    for (id, node) in nodes { saved[id] = try NodeSnapshot(node, encoder) }
    return TreeSnapshot(root: root.id, lastID: lastID, transactions: transactionCount, nodes: saved)
  }

  /// The version of a node's state, as this program has it; nil if there is no such node.
  package func stateVersion(of id: NodeID) -> Int? { nodes[id]?.stateVersion }

  /// What a store has to write: the changes since the last cut or, before the first, since the tree was started or
  /// restored.
  ///
  /// The transactions have encoded the changes already, so this cannot fail. The next cut begins here.
  package func takeCut() -> TreeCut {
    guard let root, notesChanges else { preconditionFailure("a tree has a cut if it is started and notes changes") }
    if uncut.nodes.count > 1 { uncut.nodes.sort { $0.id < $1.id } }
    let cut = TreeCut(
      root: root.id, lastID: lastID, transactions: transactionCount,
      changed: uncut.nodes.map { NodeCut(takenFrom: $0) }, removed: uncut.removed.isEmpty ? [] : uncut.removed.sorted())
    // Most actions touch few nodes: memory for those is kept.
    if uncut.nodes.capacity > 8 { uncut.nodes = [] } else { uncut.nodes.removeAll(keepingCapacity: true) }
    if !uncut.removed.isEmpty { uncut.removed = [] }
    return cut
  }
}
