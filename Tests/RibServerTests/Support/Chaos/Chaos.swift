import Foundation
import Testing

/// A run of the chaos: starts everything, kills the server for a while, and compares.
final class Chaos {
  /// Clients of the HTTP twin: each has a thread, as it waits for its answers.
  private static let twinCount = 10

  private let seed: UInt64
  let directory: String
  let port: Int
  let proxy: FaultyProxy
  private let fleets: [ChaosFleet]
  let twins: [ChaosTwin]
  let clock: FaultyClock
  var random: SeededGenerator
  var audit: LedgerAudit
  var daemon: Daemon
  var victims = ChaosVictims()
  /// How often the server was killed and has stopped, and how many of its lives were another version's.
  var kills = 0
  var stops = 0
  var otherLives = 0
  var blocks = 0
  var jumps = 0
  /// Whether what the run leaves is of no interest.
  private var hasPassed = false

  var clients: [ChaosClient] { fleets.flatMap(\.clients) }

  init(clients count: Int, seed: UInt64) throws {
    self.seed = seed
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = LocalSocket.freePort()
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    audit = LedgerAudit(stateDirectory: "\(directory)/state", book: "\(directory)/book")
    clock = try FaultyClock(in: directory)
    daemon = try Self.start(port, directory, clock)
    let proxy = FaultyProxy(to: port, seed: seed)
    self.proxy = proxy
    let clients = Self.makeClients(count, port: proxy.port, seed: seed)
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
    twins = (0..<min(Self.twinCount, count)).map { ChaosTwin($0, port: proxy.port, seed: seed) }
  }

  deinit { if hasPassed { try? FileManager.default.removeItem(atPath: directory) } }

  /// Of ten clients, two are on one session: they live on different threads.
  private static func makeClients(_ count: Int, port: Int, seed: UInt64) -> [ChaosClient] {
    var party = ChaosParty()
    return (0..<count).map { id in
      switch id % 10 {
      case 3 where id + 1 < count:
        party = ChaosParty()
        return ChaosClient(id, port: port, seed: seed, party: (party, .host))
      case 4: return ChaosClient(id, port: port, seed: seed, party: (party, .guest))
      default: return ChaosClient(id, port: port, seed: seed)
      }
    }
  }

  static func start(_ port: Int, _ directory: String, _ clock: FaultyClock) throws -> Daemon {
    try Daemon(
      [
        "--log-level", "warning", "--timeouts-heartbeat-seconds", "1", "--limits-actions-per-second", "0",
        "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1", "--timeouts-drain-seconds", "1",
      ], port: port, stateDirectory: "\(directory)/state",
      environment: clock.environment.merging(["RIBD_LEDGER": "\(directory)/book"]) { $1 }, log: "\(directory)/log")
  }

  /// Ends what runs on threads of its own, whether it has come to rest or not.
  private func endThreads() {
    for fleet in fleets { _ = fleet.waitForAll(within: 0) }
    for twin in twins { twin.waitForEnd(within: 0) }
    proxy.stop()
  }

  /// Runs it.
  ///
  /// - Parameter seconds: how long there are faults and kills.
  /// - Throws: ``DaemonError`` if the server does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int) throws {
    let end = milliseconds() + seconds * 1000
    let observers = seconds >= 30 ? ChaosObservers(8, for: seconds) : nil
    let absentees = seconds >= 30 ? ChaosAbsentees(8, for: seconds, seed: seed) : nil
    var isOver = false
    // If it fails halfway, clients and network would go on beside the tests that come after it.
    defer { if !isOver { endThreads() } }
    while case let rest = end - milliseconds(), rest > 0 {
      // The pace of the killer is a part of the model.
      let time = UInt32(min(Int.random(in: 2000...5000, using: &random), rest)) * 500
      usleep(time)
      jump()
      usleep(time)
      if random.happens(0.3) { try blockStore() }
      try replaceDaemon()
    }
    proxy.calmDown()
    for fleet in fleets { fleet.finish() }
    for twin in twins { twin.finish() }
    let limit = milliseconds() + 180_000
    let allSettled = fleets.map { $0.waitForAll(within: max((limit - milliseconds()) / 1000, 1)) }
    for twin in twins { twin.waitForEnd(within: max((limit - milliseconds()) / 1000, 1)) }
    proxy.stop()
    isOver = true
    #expect(daemon.stop() == 0)
    observers?.waitForEnd()
    absentees?.waitForEnd()
    let stored = try audit.look(lookedAt)
    let result = ChaosResult(seed, clients, twins, stored, audit)
    let figures = figures(stored, observers, absentees, seconds)
    print("Chaos, seed \(seed): \(clients.count) clients, \(figures.text); \(result.text)")
    var faults = result.deviations + (observers?.deviations ?? []) + (absentees?.deviations ?? []) + victims.deviations
    // A sanitizer makes everything ten times as slow.
    if Sanitizer.current == nil { faults += figures.shortfalls }
    if allSettled.contains(false) { faults.append("Some clients have not come to rest.") }
    faults += complaints().map { "The server has logged: \($0)" }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    #expect(hasPassed, "Seed \(seed); \(result.text); the store, the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }
}
