import Foundation
import Synchronization
import Testing

/// A run of the chaos: starts everything, kills the server for a while, and compares.
final class Chaos {
  private let seed: UInt64
  private let directory: String
  private let port: Int
  private let proxy: FaultyProxy
  private let fleets: [ChaosFleet]
  private var random: SeededGenerator
  private var audit: LedgerAudit
  private var daemon: Daemon
  private var kills = 0
  private var stops = 0
  private var blocks = 0

  private var clients: [ChaosClient] { fleets.flatMap(\.clients) }

  init(clients count: Int, seed: UInt64) throws {
    self.seed = seed
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = LocalSocket.freePort()
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    audit = LedgerAudit(stateDirectory: "\(directory)/state", book: "\(directory)/book")
    daemon = try Self.start(port, directory)
    let proxy = FaultyProxy(to: port, seed: seed)
    self.proxy = proxy
    let clients = (0..<count).map { ChaosClient($0, port: proxy.port, seed: seed) }
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private static func start(_ port: Int, _ directory: String) throws -> Daemon {
    try Daemon(
      [
        "--log-level", "warning", "--timeouts-heartbeat-seconds", "1", "--limits-actions-per-second", "0",
        "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1", "--timeouts-drain-seconds", "1",
      ], port: port, stateDirectory: "\(directory)/state", environment: ["RIBD_LEDGER": "\(directory)/book"],
      log: "\(directory)/log")
  }

  /// Runs it.
  ///
  /// - Parameter seconds: how long there are faults and kills.
  /// - Throws: ``DaemonError`` if the server does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int) throws {
    let end = milliseconds() + seconds * 1000
    while case let rest = end - milliseconds(), rest > 0 {
      // The pace of the killer is a part of the model.
      usleep(UInt32(min(Int.random(in: 2000...5000, using: &random), rest)) * 1000)
      if random.happens(0.3) { try blockStore() }
      try replaceDaemon()
    }
    proxy.calmDown()
    for fleet in fleets { fleet.finish() }
    let limit = milliseconds() + 60_000
    let allSettled = fleets.map { $0.waitForAll(within: max((limit - milliseconds()) / 1000, 1)) }
    proxy.stop()
    #expect(daemon.stop() == 0)
    let stored = try audit.look(clients)
    report(stored, allSettled: !allSettled.contains(false))
  }

  /// Kills the server, or now and then has it stop in order, looks what it has left, and starts it again.
  private func replaceDaemon() throws {
    if random.happens(0.1) {
      stops += 1
      #expect(daemon.stop() == 0)
    } else {
      kills += 1
      // Commits are short: a kill alone rarely meets one.
      if random.happens(0.5) {
        try blockStore(then: SIGKILL)
      } else {
        _ = daemon.stop(SIGKILL)
      }
    }
    _ = try audit.look(clients)
    daemon = try Self.start(port, directory)
  }

  /// Keeps the server from committing for a while.
  private func blockStore(then signal: Int32? = nil) throws {
    blocks += 1
    let time = UInt32(random.magnitude(in: 10...600)) * 1000
    try StoreBlocker(path: "\(directory)/state/sessions.sqlite").block {
      usleep(time)
      if let signal { _ = daemon.stop(signal) }
    }
  }

  // MARK: Comparing

  private func report(_ stored: [String: LedgerAudit.Stored], allSettled: Bool) {
    var deviations = audit.deviations
    var (lost, doubled) = (0, 0)
    for client in clients {
      deviations += client.deviations
      if !client.isSettled { deviations.append("It has not come to rest: \(client.summary)\n\(client.recent)") }
      let session = client.told.withLock { $0.sessionID } ?? ""
      guard let state = stored[session] else { continue }
      lost += max(client.model.counted - state.count, 0)
      doubled += max(state.count - client.model.counted, 0)
      guard client.isSettled else { continue }
      if state.count != client.model.counted || state.number != client.model.sent || state.unpaid != 0
        || !audit.has(client.model.payments, of: session)
      {
        deviations.append("\(state) is stored: \(client.summary)\n\(client.recent)")
      }
    }
    let log = complaints()
    print(figures(stored, lost, doubled))
    #expect(allSettled && lost == 0 && doubled == 0, "Seed \(seed)")
    for line in log.prefix(20) { Issue.record("The server has logged: \(line)") }
    for deviation in deviations.prefix(20) { Issue.record("\(deviation)") }
  }

  private func figures(_ stored: [String: LedgerAudit.Stored], _ lost: Int, _ doubled: Int) -> String {
    func sum(_ value: (ChaosClient) -> Int) -> Int { clients.reduce(0) { $0 + value($1) } }
    let faults = proxy.faultCounts
    return """
      Chaos, seed \(seed): \(clients.count) clients, \(sum { $0.model.sent }) actions, \
      \(sum { $0.model.refused }) refused, \(sum { $0.model.payments }) payments, \(audit.repetitions) written again; \
      \(kills) kills, \(stops) stops, \(blocks) slow commits; \(faults.links) links, \(faults.refusals) not made, \(faults.cuts) cuts, \
      \(faults.stalls) stalls, \(faults.lateDeliveries) with late delivery; \(sum { $0.figures.resumes }) resumes, \
      \(sum { $0.figures.doubles }) doubled, \(sum { $0.figures.drains }) drained, \(stored.values.reduce(0) { $0 + $1.loads }) wakes, \
      \(sum { $0.figures.checks }) hashes; lost \(lost), doubled \(doubled), \
      taken back \(sum { $0.figures.takenBack })
      """
  }

  /// What the server has complained of, other than what it was asked to refuse.
  private func complaints() -> [Substring] {
    let text = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { line in
      !line.contains("An action was refused.") && !line.contains("A transaction took long.")
    }
  }
}
