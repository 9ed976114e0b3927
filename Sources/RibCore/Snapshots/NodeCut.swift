import Wire

/// What a store has to write of a node.
package struct NodeCut: Equatable, Sendable {
  /// Its id.
  package let id: NodeID
  /// Its riblet's type; it is always the same.
  package let type: String
  /// The version of its state's shape.
  package let version: Int
  /// Its children, by route, and there by the name of their entries; nil if they are the same.
  ///
  /// Not nil for a node that is new; so are ``effects``.
  package internal(set) var children: [String: [String: NodeID]]?
  /// The effects that run; nil if they are the same.
  package internal(set) var effects: [InterruptedEffect]?
  /// Its state.
  package internal(set) var state: StateCut

  /// All there is of a node.
  ///
  /// - Parameter node: the node.
  init(_ node: NodeSnapshot) {
    id = node.id
    type = node.type
    version = node.version
    children = node.children
    effects = node.effects
    state = node.state.map { .rewritten(base: Array($0.utf8), changes: []) } ?? .none
  }

  /// What of a node has changed since its last cut; the next one begins here.
  init(takenFrom node: AnyNode) {
    id = node.id
    type = node.typeName
    version = node.stateVersion
    children = node.uncut.contains(.children) ? node.childrenByEntry : nil
    effects = node.uncut.contains(.effects) ? node.interruptedEffects : nil
    state = node.stateWriter?.log.takeCut() ?? .none
    node.uncut = []
  }

  /// Takes over what has changed since.
  mutating func append(_ later: NodeCut) {
    if let children = later.children { self.children = children }
    if let effects = later.effects { self.effects = effects }
    state.append(later.state)
  }
}

/// What a store has to write of a node's state.
package enum StateCut: Equatable, Sendable {
  /// It has none: it is a part of its parent's, or cannot be saved.
  case none
  /// It is the same.
  case unchanged
  /// A state of at most 512 bytes in place of another such one, without changes of either: what most small states
  /// are in most cuts.
  case replaced([UInt8])
  /// A base in place of the former one and all changes since that one, and what has changed since.
  case rewritten(base: [UInt8], changes: [StatePatch])
  /// What has changed since.
  case changed([StatePatch])

  /// A state of so many bytes is always written whole: finding its difference takes as long as writing it, and a row of its
  /// own for the change takes as many bytes.
  package static let smallSize = 512

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

/// A change of a node's state.
package struct StatePatch: Equatable, Sendable {
  /// Its place among the changes of one base, counted from 1: writing it twice is writing it once.
  package let sequence: Int
  /// The operations of RFC 6902 that make the next state of the one before, as a JSON array.
  package let operations: [UInt8]

  /// A change.
  ///
  /// - Parameters:
  ///   - sequence: its place among the changes of one base.
  ///   - operations: a JSON array.
  package init(sequence: Int, operations: [UInt8]) {
    self.sequence = sequence
    self.operations = operations
  }
}

/// The changes of which a store has put a state together.
package struct StoredChanges: Equatable, Sendable {
  /// The sequence number of the last one; 0 if there are none.
  package var last = 0
  /// How many bytes they have.
  package var size = 0

  package init(last: Int = 0, size: Int = 0) {
    self.last = last
    self.size = size
  }
}

/// What of a node has changed since its last cut.
struct NodeParts: OptionSet {
  let rawValue: UInt8
  static let state = NodeParts(rawValue: 1)
  static let children = NodeParts(rawValue: 2)
  static let effects = NodeParts(rawValue: 4)
}
