import GRDB
import RibCore
import Wire

/// A riblet's state is a base, and the changes since, each in a row of its own.
///
/// A small base is such a row too, number 0: it is what most commits replace. A large one is in the node's own row.
extension SQLiteStore {
  /// What the node's own row has of a state that is kept as number 0.
  private static let elsewhere = ""
  /// The node of the row that has a session's progress; those of a tree are counted from 1.
  private static let progressNode = 0

  /// Writes what has changed in a tree; what was written already stays as it is.
  static func write(_ cut: TreeCut, _ row: Int64, _ statements: Statements, _ database: Database) throws {
    for id in cut.removed {
      try statements.deleteNode.run(.integer(row), .integer(id))
      try statements.deleteChanges.run(.integer(row), .integer(id))
    }
    for node in cut.changed { try write(node, row, statements, database) }
  }

  private static func write(
    _ node: NodeCut, _ row: Int64, _ statements: Statements, _ database: Database
  ) throws {
    if let children = node.children, let effects = node.effects, let state = Self.text(of: node.state) {
      try statements.upsertNode.run(
        .integer(row), .integer(node.id), .text(node.type), .integer(node.version), state,
        .optional(NodeSnapshot.childrenJSON(children)), .optional(NodeSnapshot.effectsJSON(effects)))
      return try rewrite(node.state, node.id, row, statements)
    }
    try write(node.state, of: node, row, statements, database)
    if let children = node.children {
      try statements.updateChildren.run(
        .optional(NodeSnapshot.childrenJSON(children)), .integer(row), .integer(node.id))
    }
    if let effects = node.effects {
      try statements.updateEffects.run(.optional(NodeSnapshot.effectsJSON(effects)), .integer(row), .integer(node.id))
    }
  }

  /// What is to be in the node's own row; nil if that stays as it is.
  private static func text(of state: StateCut) -> SQLiteStatement.Value? {
    switch state {
    case .none: .null
    case .replaced: .text(elsewhere)
    case .rewritten(let base, _): base.count <= StateCut.smallSize ? .text(elsewhere) : .utf8(base)
    case .unchanged, .changed: nil
    }
  }

  private static func write(
    _ state: StateCut, of node: NodeCut, _ row: Int64, _ statements: Statements, _ database: Database
  ) throws {
    switch state {
    case .none, .unchanged: return
    case .changed(let changes): return try append(changes, node.id, row, statements)
    case .replaced(let base):
      let statement = statements.replaceState
      try statement.bind(Int(row), at: 2)
      try statement.bind(node.id, at: 3)
      try base.withUnsafeBufferPointer { bytes in
        try statement.bind(borrowed: bytes, at: 1)
        try statement.runOnce()
      }
      guard database.changesCount == 0 else { return }
    case .rewritten: break
    }
    if let text = text(of: state) {
      try statements.updateState.run(.integer(node.version), text, .integer(row), .integer(node.id))
    }
    try rewrite(state, node.id, row, statements)
  }

  /// Puts what the node's own row does not have in place of all rows that were there.
  private static func rewrite(_ state: StateCut, _ id: NodeID, _ row: Int64, _ statements: Statements) throws {
    try statements.deleteChanges.run(.integer(row), .integer(id))
    switch state {
    case .replaced(let base): try append([StatePatch(sequence: 0, operations: base)], id, row, statements)
    case .rewritten(let base, let changes):
      if base.count <= StateCut.smallSize {
        try append([StatePatch(sequence: 0, operations: base)], id, row, statements)
      }
      try append(changes, id, row, statements)
    case .none, .unchanged, .changed: break
    }
  }

  private static func append(
    _ changes: [StatePatch], _ id: NodeID, _ row: Int64, _ statements: Statements
  ) throws {
    for change in changes {
      try statements.insertChange.run(
        .integer(row), .integer(id), .integer(change.sequence), .utf8(change.operations))
    }
  }

  /// Reads a session's nodes, with their states put together.
  ///
  /// - Throws: `JSONError` or `DecodingError` if a text is damaged, ``StoreError`` if a change is missing or does not fit.
  static func loadNodes(of row: Int64, _ statements: Statements) throws -> [NodeID: NodeSnapshot] {
    var (bases, changes) = ([NodeID: String](), [NodeID: [[UInt8]]]())
    try statements.selectChanges.rows(.integer(row)) { row in
      let (node, sequence) = (row.integer(0), row.integer(1))
      guard node != progressNode else { return }
      guard sequence != 0 else { return bases[node] = row.text(2) }
      changes[node, default: []].append(row.utf8(2))
      guard changes[node]?.count == sequence else {
        throw StoreError("Change \(changes[node]?.count ?? 0) of node \(node) is missing.")
      }
    }
    var nodes: [NodeID: NodeSnapshot] = [:]
    try statements.selectNodes.rows(.integer(row)) { row in
      let id = row.integer(0)
      var base = row.optionalText(3)
      if base == elsewhere {
        base = bases[id]
        if base == nil { throw StoreError("The state of node \(id) is missing.") }
      }
      nodes[id] = try NodeSnapshot(
        id: id, type: row.text(1), version: row.integer(2), base: base, changes: changes[id] ?? [],
        childrenJSON: row.optionalText(4), effectsJSON: row.optionalText(5))
    }
    return nodes
  }
}
