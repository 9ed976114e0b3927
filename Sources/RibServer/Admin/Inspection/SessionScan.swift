import RibCore
import Synchronization
import Wire

/// Looks for the sessions of one loop that come first, a slice at a time, so that clients do not notice.
///
/// `@unchecked Sendable`: it is made, and every method called, on the loop; only the closure and the flag leave the loop, and both are
/// `Sendable`.
final class SessionScan: @unchecked Sendable {
  /// How many sessions are looked at in a slice at most.
  private static let sliceLength = 1000
  /// How long a slice may take, in nanoseconds.
  private static let sliceTime: UInt64 = 500_000

  /// Something that becomes true once, on any thread.
  final class Flag: Sendable {
    private let value = Atomic(false)
    /// Whether it has.
    var isSet: Bool { value.load(ordering: .relaxed) }
    /// Makes it true.
    func set() { value.store(true, ordering: .relaxed) }
  }

  /// The finds of one loop.
  struct Found: Sendable {
    /// The first ones, each with the figure that it is ordered by.
    var rows: [(key: Int, row: ListedSession)] = []
    var matchCount = 0
    var totalCount = 0
  }

  /// A session that may be among the first.
  private struct Candidate {
    let key: Int
    /// The number of the session on the loop, or of a connection whose session rests.
    let number: Int
    let isAsleep: Bool
  }

  private let loop: EventLoop
  private let search: SessionSearch
  private let clock: InspectionClock
  private let isUnwanted: Flag
  private let done: @Sendable (Found) -> Void
  private var sessions: [Int]
  private var connections: [Int]
  private var candidates: [Candidate] = []
  private var found = Found()

  /// A scan of what the loop has now.
  ///
  /// - Parameters:
  ///   - loop: the loop, on which this is called.
  ///   - search: which sessions come first.
  ///   - clock: tells when things happened.
  ///   - isUnwanted: is set once nobody waits for the scan any more, which ends then.
  ///   - done: called on the loop with what was found.
  init(
    _ loop: EventLoop, _ search: SessionSearch, _ clock: InspectionClock, until isUnwanted: Flag,
    _ done: @escaping @Sendable (Found) -> Void
  ) {
    self.loop = loop
    self.search = search
    self.clock = clock
    self.isUnwanted = isUnwanted
    self.done = done
    sessions = Array(loop.sessions.keys)
    connections = Array(loop.connections.keys)
  }

  /// Looks at the next slice.
  func goOn() {
    guard !isUnwanted.isSet else { return done(Found()) }
    let end = loop.time() + Self.sliceTime
    for _ in 0..<Self.sliceLength {
      if let number = sessions.popLast() {
        if let core = loop.sessions[number]?.core { look(at: core, number) }
      } else if let number = connections.popLast() {
        if let connection = loop.connections[number] { look(at: connection, number) }
      } else {
        return finish()
      }
      if loop.time() >= end { break }
    }
    loop.execute { self.goOn() }
  }

  private func look(at core: SessionCore, _ number: Int) {
    guard core.life.isInMemory else { return }
    found.totalCount += 1
    guard search.app.map({ $0 == core.identity.app }) ?? true, matches(core.id, core.subject) else { return }
    take(Candidate(key: key(of: core), number: number, isAsleep: false))
  }

  /// A session at rest is known by its clients' connections.
  private func look(at connection: Connection, _ number: Int) {
    guard case .asleep(let sleeper) = connection.channel.state else { return }
    found.totalCount += 1
    let subject = connection.channel.signIn?.identity.subject
    guard search.app == nil, matches(sleeper.sessionID, subject) else { return }
    take(Candidate(key: search.order == .clients ? 1 : 0, number: number, isAsleep: true))
  }

  private func matches(_ id: String, _ subject: String?) -> Bool {
    id.utf8.starts(with: search.text.utf8) || subject?.utf8.contains(search.text.utf8) == true
  }

  private func key(of core: SessionCore) -> Int {
    let stats = core.stats
    switch search.order {
    case .memory: return core.memoryEstimate
    case .actions: return stats.lastMinute(at: loop.now).actions
    case .patches: return stats.lastMinute(at: loop.now).patchBytes
    case .busy: return Int(clamping: stats.busy)
    case .longest: return Int(stats.longest)
    case .slow: return Int(stats.slow)
    case .age: return Int(loop.now - min(stats.start, loop.now))
    case .idle: return Int(loop.now - min(core.life.lastChange, loop.now))
    case .clients: return core.audience.connectedCount
    case .nodes: return core.tree.nodeCount
    case .revision: return core.revision
    }
  }

  private func take(_ candidate: Candidate) {
    found.matchCount += 1
    candidates.append(candidate)
    // Sessions that cannot be among the first are dropped now and then: one by one would cost more.
    if candidates.count >= 4 * SessionSearch.limit { cut() }
  }

  private func cut() {
    candidates.sort { search.isReversed ? $0.key < $1.key : $0.key > $1.key }
    candidates.removeLast(max(0, candidates.count - search.count))
  }

  private func finish() {
    cut()
    for candidate in candidates {
      if candidate.isAsleep {
        if let row = sleepingRow(candidate.number) { found.rows.append((candidate.key, row)) }
      } else if let core = loop.sessions[candidate.number]?.core {
        found.rows.append((candidate.key, core.listed(clock)))
      }
    }
    done(found)
  }

  private func sleepingRow(_ number: Int) -> ListedSession? {
    guard let channel = loop.connections[number]?.channel, case .asleep(let sleeper) = channel.state else { return nil }
    var row = ListedSession()
    row.id = sleeper.sessionID
    row.subject = channel.signIn?.identity.subject
    row.state = .asleep
    row.clients = 1
    row.revision = sleeper.revision
    return row
  }
}
