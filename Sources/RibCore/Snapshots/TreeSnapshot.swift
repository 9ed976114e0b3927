import Wire

/// What is left of a tree when it leaves memory: everything but running effects.
///
/// It is taken between transactions. A store keeps it node by node; ``TreeCut`` says which ones have changed.
public struct TreeSnapshot: Equatable, Sendable, Codable {
  /// The root's id.
  public var root: NodeID
  /// The greatest id that was given out: none is used again.
  public var lastID: NodeID
  /// The number of transactions so far.
  public var transactions: UInt64
  /// The nodes, by id.
  public var nodes: [NodeID: NodeSnapshot]

  package init(root: NodeID, lastID: NodeID, transactions: UInt64, nodes: [NodeID: NodeSnapshot]) {
    self.root = root
    self.lastID = lastID
    self.transactions = transactions
    self.nodes = nodes
  }

  /// The first cut of a tree, as a snapshot.
  ///
  /// - Parameter cut: all there is.
  public init(_ cut: TreeCut) {
    self.init(root: cut.root, lastID: cut.lastID, transactions: cut.transactions, nodes: [:])
    apply(cut)
  }

  /// The snapshot as JSON, for a recording.
  var text: String {
    // Nothing in it can fail to encode: states are texts already.
    (try? StateCoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  /// Takes over what has changed since the snapshot was taken.
  ///
  /// - Parameter cut: taken after the snapshot, and after the last cut that was applied.
  public mutating func apply(_ cut: TreeCut) {
    root = cut.root
    lastID = cut.lastID
    transactions = cut.transactions
    for id in cut.removed { nodes[id] = nil }
    for node in cut.changed { nodes[node.id] = node }
  }
}

/// What is left of a node.
public struct NodeSnapshot: Equatable, Sendable, Codable {
  /// Its id, which it keeps.
  public let id: NodeID
  /// Its riblet's type, as clients know it.
  public let type: String
  /// The version of its state's shape.
  public let version: Int
  /// Its state as JSON; nil if it is a part of its parent's, or cannot be saved.
  public let state: String?
  /// Its children: by route, and there by the name of their entries.
  public let children: [String: [String: NodeID]]
  /// The effects that ran.
  public let effects: [InterruptedEffect]

  package init(
    id: NodeID, type: String, version: Int, state: String?, children: [String: [String: NodeID]],
    effects: [InterruptedEffect]
  ) {
    self.id = id
    self.type = type
    self.version = version
    self.state = state
    self.children = children
    self.effects = effects
  }
}

/// What a store has to write for the transactions since the last cut.
///
/// The state of a child that its parent owns is in the parent's node, however deep.
public struct TreeCut: Equatable, Sendable {
  /// The root's id.
  public private(set) var root: NodeID
  /// The greatest id that was given out.
  public private(set) var lastID: NodeID
  /// The number of transactions so far.
  public private(set) var transactions: UInt64
  /// Nodes that are new or may have changed.
  public private(set) var changed: [NodeSnapshot]
  /// Nodes that are gone.
  public private(set) var removed: [NodeID]

  init(root: NodeID, lastID: NodeID, transactions: UInt64, changed: [NodeSnapshot], removed: [NodeID]) {
    self.root = root
    self.lastID = lastID
    self.transactions = transactions
    self.changed = changed
    self.removed = removed
  }

  /// All that a snapshot holds, as a first cut.
  ///
  /// - Parameter snapshot: of the tree.
  public init(_ snapshot: TreeSnapshot) {
    self.init(
      root: snapshot.root, lastID: snapshot.lastID, transactions: snapshot.transactions,
      changed: snapshot.nodes.values.sorted { $0.id < $1.id }, removed: [])
  }

  /// Takes over what has changed since, when this cut could not be written.
  ///
  /// - Parameter later: the next cut of the same tree.
  public mutating func append(_ later: TreeCut) {
    let replaced = Set(later.changed.map(\.id)).union(later.removed)
    root = later.root
    lastID = later.lastID
    transactions = later.transactions
    changed = changed.filter { !replaced.contains($0.id) } + later.changed
    removed = Set(removed).union(later.removed).sorted()
  }
}

extension NodeSnapshot {
  /// A node as it is now; `state` is its state if it was encoded since it last changed.
  init(_ node: AnyNode, state json: [UInt8]? = nil) throws(RecordingError) {
    id = node.id
    type = node.typeName
    version = node.stateVersion
    do throws(RecordingError) {
      let json = if let json { json } else { try node.encodeState(StateCoder.makeEncoder()) }
      state = json.map { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw error.below(node.typeName)
    }
    var children: [String: [String: NodeID]] = [:]
    for route in node.attachments {
      var entries: [String: NodeID] = [:]
      for (index, child) in route.children.enumerated() { entries[route.entryName(index)] = child?.id }
      children[route.name] = entries
    }
    self.children = children
    effects = node.effects.map { InterruptedEffect(name: $0.id, key: $0.key, isResumable: $0.rest.isResumable) }
  }
}
