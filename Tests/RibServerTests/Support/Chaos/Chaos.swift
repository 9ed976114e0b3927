import Foundation
import Testing

/// A run of the chaos: starts everything, kills the server for a while, and compares.
final class Chaos: ChaosRun {
  /// Clients of the HTTP twin: each has a thread, as it waits for its answers.
  private static let twinCount = 10

  private let seed: UInt64
  let directory: String
  let port: Int
  let proxy: FaultyProxy
  var network: FaultyProxy? { proxy }
  let fleets: [ChaosFleet]
  let twins: [ChaosTwin]
  let clock: FaultyClock
  /// Who the clients are; nil if nobody wants to know.
  let people: ChaosPeople?
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
  /// When the issuer changes its key next, and when somebody is signed out.
  var nextRotation = 0
  var nextSignOut = 0
  /// Whether what the run leaves is of no interest.
  private var hasPassed = false

  /// Starts a server and its clients.
  ///
  /// - Parameters:
  ///   - count: how many clients.
  ///   - seed: what all draw from.
  ///   - people: who they are; nil for nobody.
  /// - Throws: ``DaemonError`` if the server does not start, and what the system says.
  init(clients count: Int, seed: UInt64, people: ChaosPeople? = nil) throws {
    self.seed = seed
    self.people = people
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = LocalSocket.freePort()
    random = SeededGenerator(seed: seed, stream: 2_000_000)
    audit = LedgerAudit(stateDirectory: "\(directory)/state", book: "\(directory)/book")
    clock = try FaultyClock(in: directory)
    daemon = try Self.start(port, directory, clock, people)
    let proxy = FaultyProxy(to: [port], seed: seed, faultless: people == nil ? 0 : 0.5)
    self.proxy = proxy
    let clients = Self.makeClients(count, port: proxy.port, seed: seed, people)
    fleets = [0, 1].map { part in ChaosFleet(clients.filter { $0.id % 2 == part }) }
    twins = (0..<min(Self.twinCount, count)).map { id in
      ChaosTwin(id, port: proxy.port, seed: seed, person: Self.person(1000 + id, people))
    }
  }

  deinit { if hasPassed { try? FileManager.default.removeItem(atPath: directory) } }

  /// Of ten clients, two are on one session: they live on different threads.
  static func makeClients(
    _ count: Int, port: Int, seed: UInt64, _ people: ChaosPeople? = nil
  ) -> [ChaosClient] {
    var party = ChaosParty()
    return (0..<count).map { id in
      let person = person(id, people)
      switch id % 10 {
      case 3 where id + 1 < count:
        party = ChaosParty()
        return ChaosClient(id, port: port, seed: seed, party: (party, .host), person: person)
      case 4: return ChaosClient(id, port: port, seed: seed, party: (party, .guest), person: person)
      default: return ChaosClient(id, port: port, seed: seed, person: person)
      }
    }
  }

  /// Some do not say who they are, and some do not show a new credential before they have to.
  private static func person(_ id: Int, _ people: ChaosPeople?) -> ChaosPerson? {
    guard let people, id % 5 != 1 else { return nil }
    return ChaosPerson(id, of: people, renews: !id.isMultiple(of: 3))
  }

  /// Starts a life of the server.
  ///
  /// - Parameters:
  ///   - port: where it listens.
  ///   - directory: the run's.
  ///   - clock: what it tells the time by.
  ///   - people: who the clients are; nil for nobody.
  ///   - format: how it writes its log.
  /// - Returns: the server.
  /// - Throws: ``DaemonError`` if it does not start.
  static func start(
    _ port: Int, _ directory: String, _ clock: FaultyClock, _ people: ChaosPeople?, logFormat format: String = "text"
  ) throws -> Daemon {
    try Daemon(
      [
        "--log-level", "warning", "--timeouts-heartbeat-seconds", "1", "--limits-actions-per-second", "0",
        "--sessions-rest-seconds", "1", "--sessions-idle-rest-seconds", "1", "--timeouts-drain-seconds", "1",
        "--log-format", format,
      ] + (people.map { $0.arguments + ["--log-level", "trace", "--record", "\(directory)/recordings"] } ?? []),
      port: port, stateDirectory: "\(directory)/state",
      environment: clock.environment.merging(["RIBD_LEDGER": "\(directory)/book"]) { $1 }, log: "\(directory)/log")
  }

  /// Runs it.
  ///
  /// - Parameter seconds: how long there are faults and kills.
  /// - Throws: ``DaemonError`` if the server does not start, and what ``LedgerAudit/look(_:)`` throws.
  func run(for seconds: Int) throws {
    let end = milliseconds() + seconds * 1000
    // They have a server of their own, to which it is all the same who they are.
    let hasOthers = seconds >= 30 && people == nil
    let observers = hasOthers ? ChaosObservers(8, for: seconds) : nil
    let absentees = hasOthers ? ChaosAbsentees(8, for: seconds, seed: seed) : nil
    var isOver = false
    // If it fails halfway, clients and network would go on beside the tests that come after it.
    defer { if !isOver { endThreads() } }
    if let people {
      nextRotation = milliseconds() + people.pace.rotation * 1000
      nextSignOut = milliseconds() + people.pace.signOut * 500
    }
    while case let rest = end - milliseconds(), rest > 0 {
      // The pace of the killer is a part of the model.
      let life = people.map { $0.pace.server.lowerBound * 1000...$0.pace.server.upperBound * 1000 } ?? 2000...5000
      let time = UInt32(min(Int.random(in: life, using: &random), rest)) * 500
      usleep(time)
      jump()
      try changePeople()
      usleep(time)
      if random.happens(0.3) { try blockStore() }
      try changePeople()
      try replaceDaemon()
    }
    let haveSettled = settle()
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
    faults += try leaks()
    if !haveSettled { faults.append("Some clients have not come to rest.") }
    faults += complaints().map { "The server has logged: \($0)" }
    hasPassed = faults.isEmpty && result.lost == 0 && result.doubled == 0
    #expect(hasPassed, "Seed \(seed); \(result.text); the store, the book and the log are kept in \(directory)")
    for fault in faults.prefix(20) { Issue.record("\(fault)") }
  }
}
