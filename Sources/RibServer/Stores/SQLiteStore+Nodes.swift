import RibCore
import Wire

/// A riblet's state is a base, in its row, and the changes since, each in a row of its own.
extension SQLiteStore {
  /// Writes what has changed in a tree; what was written already stays as it is.
  static func write(_ cut: TreeCut, _ row: Int64, _ statements: Statements) throws {
    for id in cut.removed {
      try statements.deleteNode.run(.integer(row), .integer(id))
      try statements.deleteChanges.run(.integer(row), .integer(id))
    }
    for node in cut.changed { try write(node, row, statements) }
  }

  private static func write(_ node: NodeCut, _ row: Int64, _ statements: Statements) throws {
    let (base, changes) = parts(of: node.state)
    let session = SQLiteStatement.Value.integer(row)
    if let base, let children = node.children, let effects = node.effects {
      try statements.upsertNode.run(
        session, .integer(node.id), .text(node.type), .integer(node.version), base,
        .optional(NodeSnapshot.childrenJSON(children)), .optional(NodeSnapshot.effectsJSON(effects)))
    } else {
      if case .rewritten = node.state, let base {
        try statements.updateState.run(.integer(node.version), base, session, .integer(node.id))
      }
      if let children = node.children {
        try statements.updateChildren.run(.optional(NodeSnapshot.childrenJSON(children)), session, .integer(node.id))
      }
      if let effects = node.effects {
        try statements.updateEffects.run(.optional(NodeSnapshot.effectsJSON(effects)), session, .integer(node.id))
      }
    }
    if case .rewritten = node.state { try statements.deleteChanges.run(session, .integer(node.id)) }
    for change in changes {
      try statements.insertChange.run(
        session, .integer(node.id), .integer(change.sequence), .utf8(change.operations))
    }
  }

  /// What is to be in the node's own row, nil if that stays as it is, and the changes.
  private static func parts(of state: StateCut) -> (base: SQLiteStatement.Value?, changes: [StatePatch]) {
    switch state {
    case .none: (.null, [])
    case .unchanged: (nil, [])
    case .rewritten(let base, let changes): (.utf8(base), changes)
    case .changed(let changes): (nil, changes)
    }
  }

  /// Reads a session's nodes, with their states put together.
  ///
  /// - Throws: `JSONError` or `DecodingError` if a text is damaged, ``StoreError`` if a change is missing or does not fit.
  static func loadNodes(of row: Int64, _ statements: Statements) throws -> [NodeID: NodeSnapshot] {
    var changes: [NodeID: [[UInt8]]] = [:]
    try statements.selectChanges.rows(.integer(row)) { row in
      let (node, sequence) = (row.integer(0), row.integer(1))
      changes[node, default: []].append(row.utf8(2))
      guard changes[node]?.count == sequence else {
        throw StoreError("Change \(changes[node]?.count ?? 0) of node \(node) is missing.")
      }
    }
    var nodes: [NodeID: NodeSnapshot] = [:]
    try statements.selectNodes.rows(.integer(row)) { row in
      let id = row.integer(0)
      nodes[id] = try NodeSnapshot(
        id: id, type: row.text(1), version: row.integer(2), base: row.optionalText(3), changes: changes[id] ?? [],
        childrenJSON: row.optionalText(4), effectsJSON: row.optionalText(5))
    }
    return nodes
  }
}
