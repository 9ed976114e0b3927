import Wire

/// What is kept of a tree that leaves memory: everything but running effects.
///
/// A snapshot is taken between transactions. A store keeps it node by node; `TreeCut` says which nodes have changed.
public struct TreeSnapshot: Equatable, Sendable, Codable {
  /// The root's id.
  package var root: NodeID
  /// The greatest id that was given out: no id is used again.
  package var lastID: NodeID
  /// The number of transactions so far.
  package var transactions: UInt64
  /// The nodes, by id.
  package var nodes: [NodeID: NodeSnapshot]

  package init(root: NodeID, lastID: NodeID, transactions: UInt64, nodes: [NodeID: NodeSnapshot]) {
    self.root = root
    self.lastID = lastID
    self.transactions = transactions
    self.nodes = nodes
  }

  /// The snapshot that the first cut of a tree amounts to.
  package init(_ cut: TreeCut) {
    self.init(root: cut.root, lastID: cut.lastID, transactions: cut.transactions, nodes: [:])
    apply(cut)
  }

  /// The snapshot as JSON, for a recording.
  var text: String {
    // Cannot fail to encode: the states in it are texts already.
    (try? StateCoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  /// Applies a cut.
  ///
  /// The members of the objects in a changed state are then in the order of their keys.
  ///
  /// - Parameter cut: the next one after the snapshot or after the last cut applied; applying the last one again
  ///   changes nothing.
  package mutating func apply(_ cut: TreeCut) {
    root = cut.root
    lastID = cut.lastID
    transactions = cut.transactions
    for id in cut.removed { nodes[id] = nil }
    for node in cut.changed { nodes[node.id] = NodeSnapshot(nodes[node.id], after: node) }
  }
}

/// What is kept of a node that leaves memory.
package struct NodeSnapshot: Equatable, Sendable, Codable {
  /// The node's id, which it keeps.
  package let id: NodeID
  /// The type name of the node's riblet.
  package let type: String
  /// The version of the state's shape.
  package let version: Int
  /// The state as JSON; nil if the node has no state of its own, or none that can be saved.
  package let state: String?
  /// The ids of the children, by route and then by the name of their entries.
  package let children: [String: [String: NodeID]]
  /// The effects that ran.
  package let effects: [InterruptedEffect]
  /// The changes from which a store has put the state together; the next change gets the next number.
  package var changes = StoredChanges()

  private enum CodingKeys: CodingKey { case id, type, version, state, children, effects }

  package init(
    id: NodeID, type: String, version: Int, state: String?, children: [String: [String: NodeID]],
    effects: [InterruptedEffect], changes: StoredChanges = StoredChanges()
  ) {
    self.id = id
    self.type = type
    self.version = version
    self.state = state
    self.children = children
    self.effects = effects
    self.changes = changes
  }
}

extension NodeSnapshot {
  /// The snapshot of a node as it is now.
  init(_ node: AnyNode, _ encoder: ViewEncoder) throws(CaptureError) {
    id = node.id
    type = node.typeName
    version = node.stateVersion
    do throws(CaptureError) {
      state = try node.encodeState(encoder).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw error.below(node.typeName)
    }
    children = node.childrenByEntry
    effects = node.interruptedEffects
  }

  /// The snapshot of a node after a cut; `earlier` is the one before, nil for a new node.
  fileprivate init(_ earlier: NodeSnapshot?, after cut: NodeCut) {
    id = cut.id
    type = cut.type
    version = cut.version
    children = cut.children ?? earlier?.children ?? [:]
    effects = cut.effects ?? earlier?.effects ?? []
    switch cut.state {
    case .none: state = nil
    case .unchanged:
      state = earlier?.state
      changes = earlier?.changes ?? StoredChanges()
    case .replaced(let whole): state = String(decoding: whole, as: UTF8.self)
    case .rewritten(let base, let later):
      state = Self.fold(String(decoding: base, as: UTF8.self), later, &changes)
    case .changed(let later):
      guard let earlier, let base = earlier.state else {
        preconditionFailure(
          "a cut is applied to the snapshot that it is the difference from: node \(id) has no state there")
      }
      changes = earlier.changes
      state = Self.fold(base, later, &changes)
    }
  }

  /// Applies those changes that were not applied before.
  private static func fold(_ base: String, _ later: [StatePatch], _ changes: inout StoredChanges) -> String {
    let missing = later.filter { $0.sequence > changes.last }
    do throws(StateCoder.ChangeError) {
      let state = try StateCoder.apply(missing.map(\.operations), to: base)
      for change in missing {
        changes = StoredChanges(last: change.sequence, size: changes.size + change.operations.count)
      }
      return state
    } catch {
      preconditionFailure("a cut is applied to the snapshot that it is the difference from: \(error)")
    }
  }
}
