import Foundation
import Testing

@testable import RibPostgres

/// A node's process, and the networks between it and the databases, and between it and the other nodes.
final class ChaosNode {
  let port = LocalSocket.freePort()
  private(set) var daemon: Daemon
  /// The network by which the other nodes reach this one.
  let peers: FaultyProxy
  let number: Int
  private let directory: String
  private let listener: Int
  /// The networks by which the node reaches each of the databases.
  private let databases: [FaultyProxy]
  /// How often the node was started.
  private var lives = 1

  /// How the connections of all nodes to the database are named, as a pattern of SQL's LIKE.
  static let connections = "node%"

  /// Starts a node.
  ///
  /// - Parameters:
  ///   - number: which of the nodes.
  ///   - directory: where it keeps its log and its book.
  ///   - pair: its databases.
  ///   - seed: what the networks do comes of it.
  /// - Throws: ``DaemonError`` if it does not start.
  init(_ number: Int, _ directory: String, _ pair: PostgresPair, seed: UInt64) throws {
    (self.number, self.directory) = (number, directory)
    listener = LocalSocket.freePort()
    peers = FaultyProxy(to: [listener], seed: seed, faultless: 1)
    databases = pair.ports.map { FaultyProxy(to: [$0], seed: seed, faultless: 1) }
    daemon = try Self.start(number, lives: 1, directory, port, listener, peers, databases)
  }

  private static func start(
    _ number: Int, lives: Int, _ directory: String, _ port: Int, _ listener: Int, _ peers: FaultyProxy,
    _ databases: [FaultyProxy]
  ) throws -> Daemon {
    let hosts = databases.map { _ in "127.0.0.1" }.joined(separator: ",")
    let ports = databases.map { "\($0.port)" }.joined(separator: ",")
    let url = "host=\(hosts) port=\(ports) user=ribserver dbname=postgres application_name=node\(number).\(lives)"
    return try Daemon(
      [
        "--store", "postgres", "--node-listen", "127.0.0.1:\(listener)", "--node-advertise", "127.0.0.1:\(peers.port)",
        "--hosts", "*", "--log-level", "warning", "--limits-actions-per-second", "0",
        // All clients have one address.
        "--limits-connections-per-address", "0", "--limits-new-sessions-per-minute", "0",
        "--limits-sessions-per-address", "0", "--timeouts-heartbeat-seconds",
        "1",
        "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1", "--timeouts-drain-seconds", "2",
      ], port: port, stateDirectory: "\(directory)/state\(number)",
      environment: ["RIBD_LEDGER": "\(directory)/book", "RIBD_STORE_URL": url], log: "\(directory)/log",
      program: "ribd-cluster")
  }

  /// Starts the node again, and has it reach the databases for that.
  ///
  /// - Throws: ``DaemonError`` if it does not start.
  func start() throws {
    reachAll()
    lives += 1
    daemon = try Self.start(number, lives: lives, directory, port, listener, peers, databases)
  }

  /// Cuts the node off from the databases.
  func failDatabases(_ outage: NetworkOutage) { for network in databases { network.fail(outage) } }

  /// Ends all outages of the node's networks.
  func reachAll() {
    for network in databases + [peers] { network.fail(.none) }
    setListening(true)
  }

  /// Has other nodes' connections be refused, or not, where this one listens.
  ///
  /// - Parameter isListening: whether anybody listens there.
  func setListening(_ isListening: Bool) { peers.setListening(isListening) }

  /// Has the node's connections be refused, or not, where one of the databases listens.
  ///
  /// - Parameters:
  ///   - place: which database.
  ///   - isThere: whether anybody listens there.
  func setDatabase(_ place: Int, isThere: Bool) { databases[place].setListening(isThere) }

  /// What the requests begin with that it sends to other nodes; nil if it is not one of the nodes just now.
  ///
  /// - Parameter server: the database.
  /// - Returns: a field with its number.
  /// - Throws: ``PostgresError``.
  func mark(_ server: PostgresServer) throws -> String? {
    let rows = try server.run(
      "SELECT max(id) FROM rib_node WHERE address = $1::text HAVING count(*) > 0", .text("127.0.0.1:\(peers.port)"))
    return rows.first.map { "Rib-Node: \($0.integer(0))\r\n" }
  }

  /// Ends the networks.
  func stopNetworks() { for network in databases + [peers] { network.stop() } }
}
