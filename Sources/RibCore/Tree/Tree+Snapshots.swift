public import Wire

extension Tree {
  /// What is left of the tree if it leaves memory now.
  ///
  /// - Returns: the snapshot.
  /// - Throws: ``/Wire/RecordingError`` if a state's own coding fails.
  public func snapshot() throws(RecordingError) -> TreeSnapshot {
    guard let root else { preconditionFailure("a tree that is not started has no snapshot") }
    var saved: [NodeID: NodeSnapshot] = [:]
    for (id, node) in nodes { saved[id] = try NodeSnapshot(node) }
    return TreeSnapshot(root: root.id, lastID: lastID, transactions: transactionCount, nodes: saved)
  }

  /// What a store has to write: the difference from the last cut, or from the start.
  ///
  /// - Returns: the cut; the next one begins here.
  /// - Throws: ``/Wire/RecordingError`` if a state's own coding fails; the cut is still to be taken then.
  public func takeCut() throws(RecordingError) -> TreeCut {
    guard let root, notesChanges else { preconditionFailure("a tree has a cut if it is started and notes changes") }
    var changed: [NodeSnapshot] = []
    for id in uncut.changed.sorted() {
      if let node = nodes[id] { changed.append(try NodeSnapshot(node, state: uncut.states[id])) }
    }
    let cut = TreeCut(
      root: root.id, lastID: lastID, transactions: transactionCount, changed: changed, removed: uncut.removed.sorted())
    uncut = ([], [:], [])
    return cut
  }
}
