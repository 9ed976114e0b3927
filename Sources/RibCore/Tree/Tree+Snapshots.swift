public import Wire

extension Tree {
  /// What is left of the tree if it leaves memory now.
  ///
  /// - Returns: the snapshot.
  /// - Throws: ``/Wire/RecordingError`` if a state's own coding fails.
  public func snapshot() throws(RecordingError) -> TreeSnapshot {
    guard let root else { preconditionFailure("a tree that is not started has no snapshot") }
    let encoder = StateCoder.makeEncoder()
    var saved: [NodeID: NodeSnapshot] = [:]
    for (id, node) in nodes { saved[id] = try NodeSnapshot(node, encoder) }
    return TreeSnapshot(root: root.id, lastID: lastID, transactions: transactionCount, nodes: saved)
  }

  /// What a store has to write: the difference from the last cut, or from the start, or from the snapshot that the tree was
  /// restored from.
  ///
  /// It was encoded in the transactions, and only has to be handed over.
  ///
  /// - Returns: the cut; the next one begins here.
  package func takeCut() -> TreeCut {
    guard let root, notesChanges else { preconditionFailure("a tree has a cut if it is started and notes changes") }
    if uncut.nodes.count > 1 { uncut.nodes.sort { $0.id < $1.id } }
    let cut = TreeCut(
      root: root.id, lastID: lastID, transactions: transactionCount,
      changed: uncut.nodes.map { NodeCut(takenFrom: $0) }, removed: uncut.removed.isEmpty ? [] : uncut.removed.sorted())
    // An action touches few nodes: room for them is kept.
    if uncut.nodes.capacity > 8 { uncut.nodes = [] } else { uncut.nodes.removeAll(keepingCapacity: true) }
    if !uncut.removed.isEmpty { uncut.removed = [] }
    return cut
  }
}
