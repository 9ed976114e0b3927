import Foundation
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibPostgres

/// A run of the chaos with several nodes.
///
/// Clients come to any of the nodes, by a balancer and past it, and go on whichever dies, stands still or is cut off from the database or from other
/// nodes. So they do when the database dies, and another one takes its place.
final class ClusterChaos: ChaosRun {
  private let seed: UInt64
  private let directory: String
  let pair: PostgresPair
  let nodes: [ChaosNode]
  private let balancer: BalancerProcess
  let proxy: FaultyProxy
  var network: FaultyProxy? { proxy }
  let fleets: [ChaosFleet]
  let twins: [ChaosTwin]
  let witnesses: ChaosWitnesses
  let room: ChaosRoom
  var random: SeededGenerator
  var counts: [String: Int] = [:]
  /// The kinds of fault that have not been there yet, the next one last.
  var firstFaults: [Fault]
  /// Whether new links go to the balancer; and how many links there were when that was changed last.
  private var isBalanced: Bool
  private var lastLinkCount = 0
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
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    firstFaults = Fault.allCases.shuffled(using: &random)
    isBalanced = random.happens(0.5)
    pair = try PostgresPair(seed: seed)
    nodes = try (0..<3).map { [directory, pair] in try ChaosNode($0, directory, pair, seed: seed) }
    try LeaseWatch.begin(try PostgresConnection(pair.server.url))
    balancer = try BalancerProcess(.haproxy, to: nodes.map(\.port), connections: 100 + 2 * count)
    // Most links do what they should: it is the nodes that do not.
    let proxy = FaultyProxy(
      to: isBalanced ? [balancer.port] : nodes.map(\.port), seed: seed, faultless: 0.7)
    self.proxy = proxy
    witnesses = ChaosWitnesses(seed: seed)
    room = ChaosRoom(to: nodes.map(\.port), seed: seed)
    let clients = Chaos.makeClients(count, port: proxy.port, seed: seed)
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
    twins = (0..<min(10, count)).map { ChaosTwin($0, port: proxy.port, seed: seed) }
  }

  deinit { if hasPassed { try? FileManager.default.removeItem(atPath: directory) } }

  func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: Running

  /// Runs it.
  ///
  /// - Parameter seconds: how long there are faults.
  /// - Throws: ``DaemonError`` if a node does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int) throws {
    let end = milliseconds() + seconds * 1000
    var isOver = false
    defer {
      if !isOver { endThreads() }
      room.stop()
      for node in nodes { node.stopNetworks() }
      pair.stop()
    }
    while milliseconds() < end {
      pause(500...3000)
      if counts["changes of the way"] == nil || random.happens(0.2) { changeWay() }
      try disturb()
    }
    noteLinks()
    for node in nodes { node.reachAll() }
    pair.failStandby(.none)
    room.calmDown()
    let endOfFaults = milliseconds()
    let haveSettled = settle()
    isOver = true
    let presence = try judgePresence(since: endOfFaults)
    for node in nodes { #expect(node.daemon.stop() == 0) }
    try judge(haveSettled, presence, seconds)
  }

  /// Has new links go by the balancer that went past it, or the other way round.
  private func changeWay() {
    noteLinks()
    count("changes of the way")
    isBalanced.toggle()
    proxy.turn(to: isBalanced ? [balancer.port] : nodes.map(\.port))
  }

  private func noteLinks() {
    let links = proxy.faultCounts.links
    counts[isBalanced ? "links by the balancer" : "links past it", default: 0] += links - lastLinkCount
    lastLinkCount = links
  }

  // MARK: Judging

  private func judge(_ haveSettled: Bool, _ presence: PresenceResult, _ seconds: Int) throws {
    let url = pair.server.url
    var audit = LedgerAudit(book: "\(directory)/book") { try Self.readStore(url) }
    let told =
      clients.map { ("client \($0.id)", $0.told.withLock { $0 }) }
      + twins.map { ("twin \($0.id)", $0.told.withLock { $0 }) }
    let stored = try audit.look(told)
    let result = ChaosResult(seed, clients, twins, stored, audit)
    let sent = clients.reduce(0) { $0 + $1.model.sent } + twins.reduce(0) { $0 + $1.model.sent }
    let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    let lines = log.split(separator: "\n")
    // What comes of cuts and standstills, as the nodes see it.
    counts["suspensions of nodes"] = lines.count { $0.contains("The node is suspended.") }
    counts["nodes taken for dead by another one"] = lines.count { $0.contains("A node has died.") }
    counts["wakes"] = stored.values.reduce(0) { $0 + $1.loads }
    counts["resumes"] = clients.reduce(0) { $0 + $1.figures.resumes }
    let done = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print(
      "Chaos of three nodes, seed \(seed): \(clients.count) clients, \(sent) actions, \(done); \(endings); \(presence.text); \(result.text)"
    )
    var faults = result.deviations + presence.faults + witnesses.deviations
    faults += (try LeaseWatch.deviations(try PostgresConnection(url)))
    // A shorter run has no time for all, nor has one in which everything takes ten times as long.
    var wanted = firstFaults.map(\.rawValue) + ["suspensions of nodes", "nodes taken for dead by another one"]
    // They have to be let in elsewhere before their node goes on.
    if TestRun.judgesTime, clients.count <= 300 { wanted.append("witnesses") }
    let missed = seconds >= 120 && Sanitizer.current == nil ? wanted.filter { counts[$0, default: 0] == 0 } : []
    if sent < clients.count * 20 || !missed.isEmpty {
      faults.append("Little has happened: \(sent) actions, and no \(missed.joined(separator: ", no ")).")
    }
    // What no node should log; those that were killed in the midst of an action are found to have been.
    faults += lines.filter { $0.contains(" critical ") && !$0.contains("An earlier process died") }
      .map { "A node has logged: \($0)" }
    if !haveSettled { faults.append("Some clients have not come to rest.") }
    if TestRun.judgesTime, let slowest = witnesses.endings.map(\.time).max(), slowest > 1000 {
      faults.append("A node that went on has let a client wait for \(slowest) ms that another one had taken.")
    }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    if !hasPassed { try? pair.server.dump(to: "\(directory)/dump.sql") }
    #expect(hasPassed, "Seed \(seed); \(result.text); the database, the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }

  /// How the connections have ended of those who had gone on elsewhere, as a node went on.
  private var endings: String {
    let times = witnesses.endings.map(\.time).sorted()
    guard let last = times.last else { return "no witnesses" }
    let kinds = Dictionary(grouping: witnesses.endings) { $0.bye?.rawValue ?? "without a word" }
      .map { "\($0.value.count) \($0.key)" }.sorted().joined(separator: ", ")
    return
      "witnesses' connections ended \(kinds), after \(times[0]) ms, p50 \(times[times.count / 2]) ms, at most \(last) ms"
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
