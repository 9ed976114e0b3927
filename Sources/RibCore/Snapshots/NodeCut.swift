import Wire

/// What a store has to write of one node.
package struct NodeCut: Equatable, Sendable {
  /// The node's id.
  package let id: NodeID
  /// The type name of the node's riblet, which never changes.
  package let type: String
  /// The version of the state's shape.
  package let version: Int
  /// The ids of the children, by route and then by the name of their entries; nil if they have not changed.
  ///
  /// Never nil for a new node; nor are ``effects``.
  package internal(set) var children: [String: [String: NodeID]]?
  /// The effects that run; nil if they have not changed.
  package internal(set) var effects: [InterruptedEffect]?
  /// What has changed in the node's state.
  package internal(set) var state: StateCut

  /// A whole node, as a first cut.
  init(_ node: NodeSnapshot) {
    id = node.id
    type = node.type
    version = node.version
    children = node.children
    effects = node.effects
    state = node.state.map { .rewritten(base: Array($0.utf8), changes: []) } ?? .none
  }

  /// What has changed in a node since its last cut; the next cut begins here.
  init(takenFrom node: AnyNode) {
    id = node.id
    type = node.typeName
    version = node.stateVersion
    children = node.uncut.contains(.children) ? node.childrenByEntry : nil
    effects = node.uncut.contains(.effects) ? node.interruptedEffects : nil
    state = node.stateWriter?.log.takeCut() ?? .none
    node.uncut = []
  }

  /// Adds the changes of a later cut.
  mutating func append(_ later: NodeCut) {
    if let children = later.children { self.children = children }
    if let effects = later.effects { self.effects = effects }
    state.append(later.state)
  }
}

/// What a store has to write of a node's state.
package enum StateCut: Equatable, Sendable {
  /// There is nothing to write: the node has no state of its own, or none that can be saved.
  case none
  /// The state has not changed.
  case unchanged
  /// A state of at most 512 bytes replaces another such state, and neither has changes: the usual case, as most states
  /// are small.
  case replaced([UInt8])
  /// A new base replaces the base and all its changes, and is followed by these changes.
  case rewritten(base: [UInt8], changes: [StatePatch])
  /// These changes follow the ones that the store has.
  case changed([StatePatch])

  /// A state of at most so many bytes is always written whole: finding the difference takes as long as writing it all,
  /// and a row of its own for the change takes as many bytes.
  package static let smallSize = 512

  /// The bytes of what is to be written.
  var byteCount: Int {
    switch self {
    case .none, .unchanged: 0
    case .replaced(let state): state.count
    case .rewritten(let base, let changes): changes.reduce(base.count) { $0 + $1.operations.count }
    case .changed(let changes): changes.reduce(0) { $0 + $1.operations.count }
    }
  }

  mutating func append(_ later: StateCut) {
    switch (self, later) {
    case (_, .unchanged): break
    case (.unchanged, .replaced), (.replaced, .replaced): self = later
    case (_, .replaced(let state)): self = .rewritten(base: state, changes: [])
    case (.replaced(let base), .changed(let changes)): self = .rewritten(base: base, changes: changes)
    case (.rewritten(let base, let changes), .changed(let more)): self = .rewritten(base: base, changes: changes + more)
    case (.changed(let changes), .changed(let more)): self = .changed(changes + more)
    case (_, .none), (_, .rewritten), (.none, .changed), (.unchanged, .changed): self = later
    }
  }
}

/// A change of one node's state.
package struct StatePatch: Equatable, Sendable {
  /// The change's number among the changes of one base, counted from 1: a store that writes the change twice writes the
  /// same row.
  package let sequence: Int
  /// The operations of RFC 6902 that turn the state before into the state after, as a JSON array.
  package let operations: [UInt8]

  /// A change; its number is counted from 1 for each base, its operations are a JSON array.
  package init(sequence: Int, operations: [UInt8]) {
    self.sequence = sequence
    self.operations = operations
  }
}

/// The changes from which a store has put a state together.
package struct StoredChanges: Equatable, Sendable {
  /// The number of the last change; 0 if there are none.
  package var last = 0
  /// The number of bytes of all changes.
  package var size = 0

  package init(last: Int = 0, size: Int = 0) {
    self.last = last
    self.size = size
  }
}

/// The parts of a node that have changed since its last cut.
struct NodeParts: OptionSet {
  let rawValue: UInt8
  static let state = NodeParts(rawValue: 1)
  static let children = NodeParts(rawValue: 2)
  static let effects = NodeParts(rawValue: 4)
}
