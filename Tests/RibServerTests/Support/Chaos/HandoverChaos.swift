import Foundation
import RibTestSupport
import Synchronization
import Testing

/// A run of the chaos in which two processes take turns at one socket and on one state directory, as `ribd@a` and `ribd@b` do when one is upgraded.
///
/// No network of faults is between clients and servers: a connection that is refused or reset is a server's fault.
final class HandoverChaos: ChaosRun {
  /// How long clients are given to go over to the other process, in seconds.
  private static let drainSeconds = 1
  /// How long a client may have to wait, in milliseconds.
  private static let longestWait = 2000

  private let seed: UInt64
  private let directory: String
  private let socket: Int32
  let network: FaultyProxy? = nil
  let fleets: [ChaosFleet]
  let twins: [ChaosTwin]
  private let visitors: ChaosVisitors
  private let clock = SystemClockWatch()
  private var random: SeededGenerator
  private var daemon: Daemon
  /// How long each new process took until it listened, and each old one until it had ended.
  private var starts: [Int] = []
  private var stops: [Int] = []
  private var blocks = 0
  /// Clients that did not come over in time.
  private var haveNotCome: [ChaosClient] = []
  /// Whether what the run leaves is of no interest.
  private var hasPassed = false

  /// Starts the first process, and the clients.
  ///
  /// - Parameters:
  ///   - count: how many clients.
  ///   - seed: what all draw from.
  /// - Throws: ``DaemonError`` if the process does not start, and what the system says.
  init(clients count: Int, seed: UInt64) throws {
    self.seed = seed
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    let (descriptor, port) = try #require(LocalSocket.listen())
    socket = descriptor
    daemon = try Self.start(descriptor, directory)
    let clients = Chaos.makeClients(count, port: port, seed: seed)
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
    twins = (0..<min(10, count)).map { ChaosTwin($0, port: port, seed: seed) }
    visitors = ChaosVisitors(4, port: port)
  }

  deinit {
    close(socket)
    if hasPassed { try? FileManager.default.removeItem(atPath: directory) }
  }

  private static func start(_ socket: Int32, _ directory: String) throws -> Daemon {
    try Daemon(
      [
        "--log-level", "warning", "--timeouts-heartbeat-seconds", "1", "--limits-actions-per-second", "0",
        "--limits-connections-per-address", "0", "--limits-new-sessions-per-minute", "0",
        "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1",
        "--timeouts-drain-seconds", "\(drainSeconds)",
      ],
      socket: socket, stateDirectory: "\(directory)/state", environment: ["RIBD_LEDGER": "\(directory)/book"],
      log: "\(directory)/log")
  }

  /// Runs it.
  ///
  /// - Parameters:
  ///   - seconds: how long.
  ///   - interval: the seconds from one handover to the next, or until all clients have come over if that takes longer.
  /// - Throws: ``DaemonError`` if a process does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int, every interval: Int) throws {
    let end = milliseconds() + seconds * 1000
    var isOver = false
    defer {
      if !isOver {
        endThreads()
        visitors.stop()
      }
    }
    var welcomes = clients.map { _ in 0 }
    while case let rest = end - milliseconds(), rest > 0 {
      // The pace of the handovers is a part of the model.
      usleep(UInt32(min(interval * 1000, rest)) * 1000)
      do {
        try waitUntil(within: 120) { absentees(welcomes).isEmpty }
      } catch {
        haveNotCome = absentees(welcomes)
        break
      }
      welcomes = clients.map(\.welcomes)
      try handOver()
    }
    let haveSettled = settle()
    visitors.stop()
    isOver = true
    #expect(daemon.stop() == 0)
    try judge(haveSettled, seconds, every: interval)
  }

  /// The clients that have been welcomed no more often than they had been, but for a guest who was never let in: it waits for its host.
  private func absentees(_ welcomes: [Int]) -> [ChaosClient] {
    zip(clients, welcomes).filter { $0.welcomes <= $1 && ($0.hasSession || $0.party?.role != .guest) }.map(\.0)
  }

  /// Has another process take over, now and then while nothing can be committed for a moment.
  private func handOver() throws {
    let begin = milliseconds()
    let next = try Self.start(socket, directory)
    let isThere = milliseconds()
    let old = daemon
    daemon = next
    if random.happens(0.3) {
      blocks += 1
      let time = UInt32(random.magnitude(in: 10...600)) * 1000
      try StoreBlocker(path: "\(directory)/state/sessions.sqlite").block { usleep(time) }
    }
    #expect(old.stop() == 0)
    starts.append(isThere - begin)
    stops.append(milliseconds() - isThere)
  }

  // MARK: Judging

  private func judge(_ haveSettled: Bool, _ seconds: Int, every interval: Int) throws {
    var audit = LedgerAudit(stateDirectory: "\(directory)/state", book: "\(directory)/book")
    let told =
      clients.map { ("client \($0.id)", $0.told.withLock { $0 }) }
      + twins.map { ("twin \($0.id)", $0.told.withLock { $0 }) }
    let stored = try audit.look(told)
    let result = ChaosResult(seed, clients, twins, stored, audit)
    func sum(_ value: (ChaosClient.Figures) -> Int) -> Int { clients.reduce(0) { $0 + value($1.figures) } }
    let waits = clients.flatMap(\.figures.waits.all)
    let broken = sum(\.broken) + twins.reduce(0) { $0 + $1.figures.broken }
    let sent = clients.reduce(0) { $0 + $1.model.sent } + twins.reduce(0) { $0 + $1.model.sent }
    print(
      """
      Handovers, seed \(seed): \(stops.count) in \(seconds) s, \(clients.count) clients, \(sent) actions, \(audit.lines) payments, \
      \(audit.repetitions) written again, \(blocks) slow commits, \(sum(\.connections)) connections, \(sum(\.resumes)) resumes, \
      \(sum(\.drains)) drained, \(stored.values.reduce(0) { $0 + $1.loads }) wakes, \(visitors.visits) visits of at most \
      \(visitors.longest) ms; broken \(broken), cut \(sum(\.cut)); \(waits.count) waits from a server's word: \
      \(ChaosWaits.text(waits)); without a connection: \(ChaosWaits.text(clients.flatMap(\.figures.waits.gaps))); \
      starts \(ChaosWaits.text(starts)); ends \(ChaosWaits.text(stops)); \(result.text)
      """)
    var faults = result.deviations + visitors.deviations
    if let first = haveNotCome.first {
      faults.append("\(haveNotCome.count) have not come over in two minutes, as client \(first.id):\n\(first.recent)")
    }
    if broken > 0 { faults.append("\(broken) connections were refused or reset.") }
    if TestRun.judgesTime, let longest = waits.max(), longest > Self.longestWait {
      faults.append("A client has waited for \(longest) ms.")
    }
    // A handover takes some seconds of its own, and each client goes over in one; on a machine that has no time for them, most are away just then.
    let fewest = TestRun.judgesTime ? clients.count / 2 : 1
    if stops.count < seconds / (interval + 10) || sum(\.drains) < stops.count * fewest || sent < clients.count * 20 {
      faults.append("Little has happened: \(stops.count) handovers, \(sum(\.drains)) drained, \(sent) actions.")
    }
    if !haveSettled { faults.append("Some clients have not come to rest.") }
    // This test sets no clock: only the machine's host can make it jump.
    faults += Chaos.complaints(in: directory)
      .filter { !clock.hasJumped || !$0.contains("The system's clock has jumped.") }
      .map { "A process has logged: \($0)" }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    #expect(hasPassed, "Seed \(seed); \(result.text); the store, the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }
}
