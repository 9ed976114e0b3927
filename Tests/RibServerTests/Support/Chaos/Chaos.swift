import Foundation
import Synchronization
import Testing

/// A run of the chaos: starts everything, kills the server for a while, and compares.
final class Chaos {
  /// Clients of the HTTP twin: each has a thread, as it waits for its answers.
  private static let twinCount = 10

  private let seed: UInt64
  private let directory: String
  private let port: Int
  private let proxy: FaultyProxy
  private let fleets: [ChaosFleet]
  private let twins: [ChaosTwin]
  private var random: SeededGenerator
  private var audit: LedgerAudit
  private var daemon: Daemon
  private var kills = 0
  private var stops = 0
  private var blocks = 0
  /// Whether what the run leaves is of no interest.
  private var hasPassed = false

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
    let observers = seconds >= 30 ? ChaosObservers(8, for: seconds) : nil
    while case let rest = end - milliseconds(), rest > 0 {
      // The pace of the killer is a part of the model.
      usleep(UInt32(min(Int.random(in: 2000...5000, using: &random), rest)) * 1000)
      if random.happens(0.3) { try blockStore() }
      try replaceDaemon()
    }
    proxy.calmDown()
    for fleet in fleets { fleet.finish() }
    for twin in twins { twin.finish() }
    let limit = milliseconds() + 60_000
    let allSettled = fleets.map { $0.waitForAll(within: max((limit - milliseconds()) / 1000, 1)) }
    for twin in twins { twin.waitForEnd(within: max((limit - milliseconds()) / 1000, 1)) }
    proxy.stop()
    #expect(daemon.stop() == 0)
    observers?.waitForEnd()
    let stored = try audit.look(lookedAt)
    let result = ChaosResult(seed, clients, twins, stored, audit)
    let figures = figures(stored, observers, seconds)
    print("Chaos, seed \(seed): \(clients.count) clients, \(figures.text); \(result.text)")
    var faults = result.deviations + (observers?.deviations ?? [])
    // A sanitizer makes everything ten times as slow.
    if Sanitizer.current == nil { faults += figures.shortfalls }
    if allSettled.contains(false) { faults.append("Some clients have not come to rest.") }
    faults += complaints().map { "The server has logged: \($0)" }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    #expect(hasPassed, "Seed \(seed); \(result.text); the store, the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }

  /// Kills the server, or now and then has it stop in order, looks what it has left, and starts it again.
  private func replaceDaemon() throws {
    // One of the first ones, so that no run goes without.
    if random.happens(0.1) || kills == 4 && stops == 0 {
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
    _ = try audit.look(lookedAt)
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

  /// What each client was told, to be held against what is committed.
  private var lookedAt: [(name: String, told: ChaosClient.Told)] {
    clients.map { ("client \($0.id)", $0.told.withLock { $0 }) }
      + twins.map { ("twin \($0.id)", $0.told.withLock { $0 }) }
  }

  /// What there usually is, is what there was in some runs of a minute.
  private func figures(
    _ stored: [String: LedgerAudit.Stored], _ observers: ChaosObservers?, _ seconds: Int
  ) -> ChaosFigures {
    func ofClients(_ value: (ChaosClient) -> Int) -> Int { clients.reduce(0) { $0 + value($1) } }
    func ofTwins(_ value: (ChaosTwin) -> Int) -> Int { twins.reduce(0) { $0 + value($1) } }
    let faults = proxy.faultCounts
    typealias Figure = ChaosFigures.Figure
    let list = [
      Figure(name: "actions", count: ofClients { $0.model.sent }, usual: 80_000),
      Figure(name: "refused", count: ofClients { $0.model.refused }, usual: 17_000),
      Figure(name: "payments", count: ofClients { $0.model.payments }, usual: 4500),
      Figure(name: "written again", count: audit.repetitions),
      Figure(name: "kills", count: kills, usual: 13, isOfClients: false), Figure(name: "stops", count: stops),
      Figure(name: "slow commits", count: blocks, usual: 10, isOfClients: false),
      Figure(name: "links", count: faults.links, usual: 15_000),
      Figure(name: "links not made", count: faults.refusals, usual: 450),
      Figure(name: "cuts", count: faults.cuts, usual: 2400), Figure(name: "stalls", count: faults.stalls, usual: 1300),
      Figure(name: "late deliveries", count: faults.lateDeliveries, usual: 700),
      Figure(name: "resumes", count: ofClients { $0.figures.resumes }, usual: 3500),
      Figure(name: "doubled hellos", count: ofClients { $0.figures.doubles }, usual: 1700),
      Figure(name: "drained", count: ofClients { $0.figures.drains }, usual: 150),
      Figure(name: "wakes", count: stored.values.reduce(0) { $0 + $1.loads }, usual: 2600),
      Figure(name: "hashes", count: ofClients { $0.figures.checks }, usual: 570),
      Figure(name: "guests", count: ofClients { $0.figures.joins }),
      Figure(name: "tokens lost", count: ofClients { $0.figures.lostTokens }),
      Figure(name: "actions of twins", count: ofTwins { $0.model.sent }, usual: 5000, isOfClients: false),
      Figure(name: "requests repeated", count: ofTwins { $0.figures.repetitions }, usual: 1400, isOfClients: false),
      Figure(name: "views", count: ofTwins { $0.figures.views }, usual: 290, isOfClients: false),
      Figure(name: "views unchanged", count: ofTwins { $0.figures.unchanged }),
      Figure(name: "streams of events", count: ofTwins { $0.figures.events }, usual: 70, isOfClients: false),
    ]
    let watched =
      observers.map {
        [
          Figure(name: "changes told to observers", count: $0.tellings),
          Figure(name: "wakes of theirs", count: $0.wakes),
        ]
      } ?? []
    return ChaosFigures(figures: list + watched, seconds: seconds, clients: clients.count)
  }

  /// What the server has complained of, other than what it was asked to refuse.
  private func complaints() -> [Substring] {
    let text = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { line in
      !line.contains("An action was refused.") && !line.contains("A transaction took long.")
        // It was killed.
        && !line.contains("An earlier process died")
    }
  }
}
