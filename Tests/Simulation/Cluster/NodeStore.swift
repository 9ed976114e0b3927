import RibCore
import RibServer
import Wire

/// The store of a node of a simulated cluster.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class NodeStore: SessionStore, @unchecked Sendable {
  private let process: SimulatedProcess
  private let client: DatabaseClient

  let durability = Welcome.Durability.disk
  let outage = Outage.waits

  /// A store of a process.
  init(of process: SimulatedProcess, in cluster: SimulatedCluster) {
    self.process = process
    client = DatabaseClient(of: process, in: cluster)
  }

  func isShared(since time: UInt64) -> Bool { true }

  func begin(_ start: StoreStart) throws(StoreError) -> Int {
    let node = try client.run { database, _ in database.begin(start) }
    process.nodeID = node
    return node
  }

  func known(of entry: FlightEntry) -> (app: String, count: Int)? {
    (try? client.run { database, _ in database.known(of: entry) }) ?? nil
  }

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    process.countStatement()
    return try client.perform(requests)
  }

  func close() {
    let node = process.nodeID
    guard node > 0 else { return }
    _ = try? client.run(locking: { $0.names(heldBy: node) }) { database, _ in database.end(node) }
  }
}

/// Where the nodes of a simulated cluster find each other.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class NodeDirectory: ClusterDirectory, @unchecked Sendable {
  private let client: DatabaseClient

  /// The directory as a process sees it.
  init(of process: SimulatedProcess, in cluster: SimulatedCluster) {
    client = DatabaseClient(of: process, in: cluster)
  }

  func beat(_ node: ClusterNode) throws(StoreError) -> [ClusterNode] {
    try client.run(patience: DatabaseClient.patienceWithBeats) { database, _ in database.beat(node) }
  }

  func voided(among leases: [SessionLease]) throws(StoreError) -> [SessionLease] {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in database.voided(among: leases) }
  }

  func free(sessionsOf nodes: [ClusterNode], limit: Int) throws(StoreError) -> Int {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in
      database.free(sessionsOf: nodes, limit: limit)
    }
  }

  func freeOrphans(limit: Int) throws(StoreError) -> Int {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in database.freeOrphans(limit: limit) }
  }

  func leases(ofSessions ids: [String], heldBy node: Int) throws(StoreError) -> [String: SessionLease] {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in
      database.leases(ofSessions: ids, heldBy: node)
    }
  }

  func free(_ leases: [SessionLease], heldBy node: Int) throws(StoreError) -> Int {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in
      database.free(leases, heldBy: node)
    }
  }

  func values(named names: [String]) throws(StoreError) -> [NamedValue] {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in database.values(named: names) }
  }

  func write(
    _ value: NamedValue, number: Int, of node: Int
  ) throws(StoreError) -> (found: NamedValue, wasWritten: Bool) {
    try client.run(patience: DatabaseClient.patienceBetweenBeats) { database, _ in
      database.write(value, number: number, of: node)
    }
  }

  func close() {}
}

extension ExternalStore {
  /// The store that the nodes of a simulated cluster share.
  ///
  /// - Parameters:
  ///   - process: the node.
  ///   - cluster: the cluster.
  /// - Returns: what the process's server is given.
  static func simulated(_ process: SimulatedProcess, _ cluster: SimulatedCluster) -> ExternalStore {
    ExternalStore(.postgres) { _, _ in
      NodeStore(of: process, in: cluster)
    } directory: { _ in
      NodeDirectory(of: process, in: cluster)
    }
  }
}
