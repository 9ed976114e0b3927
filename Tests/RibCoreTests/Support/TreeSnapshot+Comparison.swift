import RibCore
import Wire

extension TreeSnapshot {
  /// The same with the members of states in the order of their keys, to be compared byte by byte: the order in which they
  /// are encoded is not the one that a state has once changes were applied to it, and means nothing to who reads it.
  var normalized: TreeSnapshot {
    get throws {
      var snapshot = self
      snapshot.nodes = try nodes.mapValues { node in
        NodeSnapshot(
          id: node.id, type: node.type, version: node.version,
          state: try node.state.map { try StateCoder.normalized($0) },
          children: node.children, effects: node.effects)
      }
      return snapshot
    }
  }
}

extension StateCut {
  /// What there is to write, as text; nil for nothing.
  var text: String? {
    switch self {
    case .none, .unchanged: nil
    case .replaced(let state): String(decoding: state, as: UTF8.self)
    case .rewritten(let base, let changes): String(decoding: base + changes.flatMap(\.operations), as: UTF8.self)
    case .changed(let changes): String(decoding: changes.flatMap(\.operations), as: UTF8.self)
    }
  }

  /// The sequence numbers of the changes.
  var sequence: [Int] {
    switch self {
    case .none, .unchanged, .replaced: []
    case .rewritten(_, let changes), .changed(let changes): changes.map(\.sequence)
    }
  }
}
