import RibCore
import RibServer

/// The nodes.
extension SimulatedDatabase {
  /// A node says that it is there; one that was taken for dead, and forgotten, is there again.
  func beat(_ node: ClusterNode) -> [ClusterNode] {
    lastBeat += 1
    var node = node
    node.beat = lastBeat
    nodes[node.id] = NodeRow(node: node, mark: nodes[node.id]?.mark ?? node.mark, seen: now)
    return nodes.values.map(\.node).sorted { $0.id < $1.id }
  }

  /// The leases that are void.
  func voided(among leases: [SessionLease]) -> [SessionLease] { leases.filter { row($0) == nil } }

  /// Frees sessions of nodes that are silent still, and forgets those nodes that have none.
  func free(sessionsOf silent: [ClusterNode], limit: Int) -> Int {
    let silent = silent.filter { nodes[$0.id]?.node.beat == $0.beat }
    let ids = Set(silent.map(\.id))
    let found = rows.values.filter { ids.contains($0.holder) && !isLocked($0) }.map(\.number).sorted().prefix(limit)
    for number in found { free(number, seen: nodes[rows[number]?.holder ?? 0]?.seen ?? now) }
    for id in ids where !rows.values.contains(where: { $0.holder == id }) { nodes[id] = nil }
    return found.count
  }

  /// The same of sessions whose nodes are forgotten.
  func freeOrphans(limit: Int) -> Int {
    let orphans = rows.values.filter { $0.holder != 0 && nodes[$0.holder] == nil && !isLocked($0) }
    let found = orphans.map(\.number).sorted().prefix(limit)
    for number in found { free(number, seen: rows[number]?.seen ?? now) }
    return found.count
  }

  /// Those of these sessions that a node has taken, and not written since.
  func leases(ofSessions ids: [String], heldBy node: Int) -> [String: SessionLease] {
    let found = ids.compactMap { names[$0].flatMap { rows[$0] } }.filter { $0.holder == node && $0.version == 0 }
    return Dictionary(found.map { ($0.identity.id, $0.currentLease) }) { first, _ in first }
  }

  /// Frees those of these sessions that are a node's still.
  func free(_ leases: [SessionLease], heldBy node: Int) -> Int {
    let found = leases.compactMap(row).filter { $0.holder == node && $0.version == 0 && !isLocked($0) }
    for row in found { free(row.number, seen: nodes[node]?.seen ?? now) }
    return found.count
  }

  /// The values of these names that somebody has changed.
  func values(named names: [String]) -> [NamedValue] { names.compactMap { values[$0] } }

  /// Changes a value if nobody else has since; a write that was made already finds another version.
  func write(_ value: NamedValue, number: Int, of node: Int) -> (found: NamedValue, wasWritten: Bool) {
    let old = values[value.name]
    guard (old?.version ?? 0) == value.version else {
      return (old ?? NamedValue(name: value.name, version: 0, value: []), writes[value.name]?[node] == number)
    }
    let new = NamedValue(name: value.name, version: value.version + 1, value: value.value)
    values[value.name] = new
    writes[value.name, default: [:]][node] = number
    return (new, true)
  }

  /// The node may only be silent: with the higher lease it cannot write any more what nobody holds.
  private func free(_ number: Int64, seen: Int) {
    rows[number]?.lease += 1
    rows[number]?.version = 0
    rows[number]?.holder = 0
    rows[number]?.seen = seen
  }
}
