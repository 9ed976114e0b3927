import RibCore

@testable import RibServer

/// The nodes of a cluster in virtual time, as `PostgresDirectory` has them in a table: a test compares both.
///
/// There are no sessions, and so nothing that a dead node would have to be remembered for.
///
/// `@unchecked Sendable`: one thread does everything.
final class VirtualDirectory: ClusterDirectory, @unchecked Sendable {
  /// In the order of their numbers.
  private var nodes: [ClusterNode] = []
  private var lastID = 0
  private var lastBeat = 0

  /// Gives a node its number.
  func add() -> Int {
    lastID += 1
    nodes.append(ClusterNode(id: lastID, program: ""))
    return lastID
  }

  func beat(_ node: ClusterNode) throws(StoreError) -> [ClusterNode] {
    var heard = node
    lastBeat += 1
    heard.beat = lastBeat
    let index = nodes.firstIndex { $0.id >= node.id } ?? nodes.endIndex
    if index < nodes.endIndex, nodes[index].id == node.id {
      nodes[index] = heard
    } else {
      nodes.insert(heard, at: index)
    }
    return nodes
  }

  func voided(among leases: [SessionLease]) throws(StoreError) -> [SessionLease] { [] }

  func free(sessionsOf dead: [ClusterNode], limit: Int) throws(StoreError) -> Int {
    nodes.removeAll { node in dead.contains { ($0.id, $0.beat) == (node.id, node.beat) } }
    return 0
  }

  func freeOrphans(limit: Int) throws(StoreError) -> Int { 0 }

  func leases(ofSessions ids: [String], heldBy node: Int) throws(StoreError) -> [String: SessionLease] { [:] }

  func free(_ leases: [SessionLease], heldBy node: Int) throws(StoreError) -> Int { 0 }

  func values(named names: [String]) throws(StoreError) -> [NamedValue] { [] }

  func write(
    _ value: NamedValue, number: Int, of node: Int
  ) throws(StoreError) -> (found: NamedValue, wasWritten: Bool) {
    throw StoreError("There are no values in virtual time.")
  }

  func close() {}
}
