/// What a store has to write for the transactions since the last cut: what has changed, not what there is.
///
/// The state of an embedded child is in the cut of the node that owns it, however deep.
package struct TreeCut: Equatable, Sendable {
  /// The root's id.
  package private(set) var root: NodeID
  /// The greatest id that was given out.
  package private(set) var lastID: NodeID
  /// The number of transactions so far.
  package private(set) var transactions: UInt64
  /// Nodes that are new or have changed.
  package private(set) var changed: [NodeCut]
  /// The ids of nodes that were detached.
  package private(set) var removed: [NodeID]

  init(root: NodeID, lastID: NodeID, transactions: UInt64, changed: [NodeCut], removed: [NodeID]) {
    self.root = root
    self.lastID = lastID
    self.transactions = transactions
    self.changed = changed
    self.removed = removed
  }

  /// All of a snapshot, as a first cut.
  package init(_ snapshot: TreeSnapshot) {
    self.init(
      root: snapshot.root, lastID: snapshot.lastID, transactions: snapshot.transactions,
      changed: snapshot.nodes.values.sorted { $0.id < $1.id }.map { NodeCut($0) }, removed: [])
  }

  /// The bytes of the states and changes in it.
  package var byteCount: Int { changed.reduce(0) { $0 + $1.state.byteCount } }

  /// Adds the changes of the tree's next cut, when this one could not be written.
  package mutating func append(_ later: TreeCut) {
    root = later.root
    lastID = later.lastID
    transactions = later.transactions
    let gone = Set(later.removed)
    if !gone.isEmpty { changed.removeAll { gone.contains($0.id) } }
    var places: [NodeID: Int] = [:]
    for (place, node) in changed.enumerated() { places[node.id] = place }
    for node in later.changed {
      if let place = places[node.id] { changed[place].append(node) } else { changed.append(node) }
    }
    removed = gone.union(removed).sorted()
  }
}
