import Foundation
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibPostgres

/// A run of the chaos with several nodes: clients come to any of them, and whichever dies, stands still or loses the database, all go on.
final class ClusterChaos: ChaosRun {
  /// A node's process, and what was done to it.
  private final class Node {
    let port = LocalSocket.freePort()
    let stateDirectory: String
    var daemon: Daemon

    init(_ number: Int, _ directory: String, _ database: String) throws {
      stateDirectory = "\(directory)/state\(number)"
      daemon = try Self.start(port, directory, stateDirectory, database)
    }

    static func start(_ port: Int, _ directory: String, _ stateDirectory: String, _ database: String) throws -> Daemon {
      try Daemon(
        [
          "--store", "postgres", "--node-listen", "127.0.0.1:0", "--log-level", "warning",
          "--limits-actions-per-second",
          "0", "--timeouts-heartbeat-seconds", "1", "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1",
          "--timeouts-drain-seconds", "2",
        ], port: port, stateDirectory: stateDirectory,
        environment: ["RIBD_LEDGER": "\(directory)/book", "RIBD_STORE_URL": database], log: "\(directory)/log",
        program: "ribd-cluster")
    }
  }

  private let seed: UInt64
  private let directory: String
  private let database: String
  private let nodes: [Node]
  let proxy: FaultyProxy
  let fleets: [ChaosFleet]
  let twins: [ChaosTwin]
  private var random: SeededGenerator
  private var counts: [String: Int] = [:]
  private var hasPassed = false

  /// Starts the nodes and the clients.
  ///
  /// - Parameters:
  ///   - count: how many clients.
  ///   - seed: what all draw from.
  /// - Throws: ``DaemonError`` if a node does not start, and what the system says.
  init(clients count: Int, seed: UInt64) throws {
    self.seed = seed
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    database = try PostgresServer.makeDatabase()
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    nodes = try (0..<3).map { [directory, database] in try Node($0, directory, database) }
    // Most links do what they should: it is the nodes that do not.
    let proxy = FaultyProxy(to: nodes.map(\.port), seed: seed, faultless: 0.7)
    self.proxy = proxy
    let clients = Chaos.makeClients(count, port: proxy.port, seed: seed)
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
    twins = (0..<min(10, count)).map { ChaosTwin($0, port: proxy.port, seed: seed) }
  }

  deinit { if hasPassed { try? FileManager.default.removeItem(atPath: directory) } }

  private func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: Faults

  private func pause(_ milliseconds: ClosedRange<Int>) {
    usleep(UInt32(Int.random(in: milliseconds, using: &random)) * 1000)
  }

  /// Does something to a node, and waits until it is over; the others go on.
  private func disturb() throws {
    let node = nodes[Int.random(in: nodes.indices, using: &random)]
    // One of each at first, so that no run goes without.
    let fault = counts["kills"] == nil ? 0 : counts["stops"] == nil ? 3 : Int.random(in: 0..<10, using: &random)
    switch fault {
    case 0...2:
      count("kills")
      // It has not died by itself.
      #expect(node.daemon.stop(SIGKILL) == SIGKILL)
      pause(0...3000)
      try start(node)
    case 3...4:
      count("stops")
      #expect(node.daemon.stop() == 0)
      try start(node)
    case 5...6:
      // Sometimes for longer than others wait.
      count("standstills")
      kill(node.daemon.pid, SIGSTOP)
      pause(random.happens(0.3) ? 11_000...15_000 : 500...5000)
      kill(node.daemon.pid, SIGCONT)
    case 7:
      count("ends of all database connections")
      try PostgresServer.endConnections(to: database)
    default:
      // What a node has given up is run late.
      count("database connections that stand still")
      let pids = try PostgresServer.connections(to: database)
      guard let pid = pids.randomElement(using: &random) else { return }
      kill(pid, SIGSTOP)
      pause(500...7000)
      kill(pid, SIGCONT)
    }
  }

  private func start(_ node: Node) throws {
    node.daemon = try Node.start(node.port, directory, node.stateDirectory, database)
  }

  // MARK: Running

  /// Runs it.
  ///
  /// - Parameter seconds: how long there are faults.
  /// - Throws: ``DaemonError`` if a node does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int) throws {
    let end = milliseconds() + seconds * 1000
    var isOver = false
    defer { if !isOver { endThreads() } }
    while milliseconds() < end {
      pause(500...3000)
      try disturb()
    }
    let haveSettled = settle()
    isOver = true
    for node in nodes { #expect(node.daemon.stop() == 0) }
    try judge(haveSettled)
  }

  private func judge(_ haveSettled: Bool) throws {
    let database = database
    var audit = LedgerAudit(book: "\(directory)/book") { try Self.readStore(database) }
    let told =
      clients.map { ("client \($0.id)", $0.told.withLock { $0 }) }
      + twins.map { ("twin \($0.id)", $0.told.withLock { $0 }) }
    let stored = try audit.look(told)
    let result = ChaosResult(seed, clients, twins, stored, audit)
    let sent = clients.reduce(0) { $0 + $1.model.sent } + twins.reduce(0) { $0 + $1.model.sent }
    counts["wakes"] = stored.values.reduce(0) { $0 + $1.loads }
    let done = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("Chaos of three nodes, seed \(seed): \(clients.count) clients, \(sent) actions, \(done); \(result.text)")
    var faults = result.deviations
    if counts["kills"] == nil || counts["stops"] == nil || sent < clients.count * 20 {
      faults.append("Little has happened: \(done), and \(sent) actions.")
    }
    faults += complaints()
    if !haveSettled { faults.append("Some clients have not come to rest.") }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    #expect(hasPassed, "Seed \(seed); \(result.text); the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }

  /// What nodes have logged that none should.
  private func complaints() -> [String] {
    let text = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.contains(" critical ") }.map { "A node has logged: \($0)" }
  }

  /// What the database has, as it stands there: the ledger's state is too small for changes.
  private static func readStore(_ database: String) throws -> [String: LedgerAudit.Stored] {
    let query = PostgresQuery(
      """
      SELECT sid, convert_from(r.state, 'UTF8'), convert_from(clients, 'UTF8'), convert_from(numbers, 'UTF8'), lease, cardinality(r.changes)::int8
      FROM rib_session s JOIN rib_riblet r ON r.session = s.id AND r.id = s.root WHERE app = 'ledger'
      """)
    var stored: [String: LedgerAudit.Stored] = [:]
    for row in try PostgresConnection(database).run([PostgresStatement(query)])[0].rows {
      try #require(row.integer(5) == 0)
      stored[row.text(0)] = try LedgerAudit.Stored(
        state: row.text(1), clients: row.text(2), numbers: row.optionalText(3), loads: row.integer(4) - 1)
    }
    return stored
  }
}
