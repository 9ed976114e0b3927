import Logging
import Synchronization

/// This server as one of the nodes that share a store.
///
/// It says every two seconds that it is there, and so learns who else is. Nothing of that is needed for a session to be safe: the store compares
/// the lease of whoever writes. It is for sessions not to be taken from who has them, and for a node that is cut off to notice.
///
/// | this node                                       | lets clients in | shows views                       | runs actions, and answers them |
/// |-------------------------------------------------|-----------------|-----------------------------------|--------------------------------|
/// | was heard of in the last six seconds            | yes             | yes                               | once they are committed        |
/// | is suspended: it was not, or was held up itself | no: `unavailable` | once the store has shown that the session is this node's | once they are committed |
///
/// A suspension begins by itself, before anything is read that has come meanwhile: whoever asks compares the time. It ends once the
/// node was heard of, and has let go of what others have taken.
final class Cluster: Sendable {
  /// How often it does what; tests have times of their own.
  struct Pace: Sendable {
    /// Between two beats.
    var interval = Duration.seconds(2)
    /// For how long a beat counts, in nanoseconds from when it was sent: for less than others wait before they take the node for dead.
    var trust: UInt64 = 6_000_000_000
    /// Between two comparisons of all leases, in nanoseconds: a session that was taken by force is noticed at the latest then.
    var comparison: UInt64 = 10_000_000_000
    /// How many sessions of dead nodes are freed in one commit.
    var portion = 500
  }

  private struct State {
    var membership: Membership
    var loops: [EventLoop] = []
    var isFailing = false
    var isStopped = false
    /// Whether leases are being compared.
    var isComparing = false
    /// When leases are compared next, in nanoseconds of the clock that never jumps.
    var nextComparison: UInt64 = 0
    /// The nodes of whose death was told.
    var mourned: Set<Int> = []
  }

  /// This node's number.
  let id: Int
  private let directory: any ClusterDirectory
  private let time: TimeSource
  private let program: String
  private let logger: Logger
  private let pace: Pace
  /// Where the directory is used.
  private let queue: any JobQueue
  private let state: Mutex<State>
  /// Until when the last beat counts, in nanoseconds of the clock that never jumps.
  private let trustedUntil = Atomic<UInt64>(0)
  private let isDraining = Atomic(false)

  /// A node that nobody knows of yet.
  ///
  /// - Parameters:
  ///   - id: its number.
  ///   - directory: where nodes find each other.
  ///   - environment: what tells the time, and makes the queue.
  ///   - logger: told of the deaths of others, and of suspensions.
  ///   - pace: how often it does what.
  init(_ id: Int, in directory: any ClusterDirectory, _ environment: Environment, _ logger: Logger, pace: Pace = Pace())
  {
    self.id = id
    self.directory = directory
    self.logger = logger
    self.pace = pace
    time = environment.time
    program = environment.program
    queue = environment.makeQueue("ribserver.cluster", .urgent)
    state = Mutex(State(membership: Membership(own: id)))
  }

  /// Begins to be one of the nodes.
  ///
  /// - Parameters:
  ///   - loops: the server's.
  ///   - sessions: those of its sessions that are in memory, and the clients of others.
  /// - Throws: ``StoreError`` if the others cannot see it.
  func start(_ loops: [EventLoop], _ sessions: SessionRegistry<Session>) throws(StoreError) {
    let sent = time.monotonic()
    let nodes = try directory.beat(ClusterNode(id: id, program: program))
    state.withLock { state in
      state.loops = loops
      state.membership.read(nodes, at: time.monotonic())
      state.nextComparison = sent + pace.comparison
    }
    trust(since: sent)
    logger.info("The node is one of a cluster.", metadata: ["node": "\(id)", "nodes": "\(nodes.count)"])
    schedule(sessions)
  }

  /// Whether this node has not been heard of for so long that others may take its sessions.
  ///
  /// Thread-safe.
  ///
  /// - Parameter now: nanoseconds of the clock that never jumps.
  /// - Returns: true from the end of the last beat's trust until the next one is heard, and leases are compared.
  func isSuspended(at now: UInt64) -> Bool { now >= trustedUntil.load(ordering: .acquiring) }

  /// Whether a node is dead.
  ///
  /// Thread-safe.
  ///
  /// - Parameter id: the node's number.
  /// - Returns: true if nothing of its sessions is in its memory, or will be written.
  func isDead(_ id: Int) -> Bool { state.withLock { $0.membership.isDead(id) } }

  /// Has the others know that clients are asked to leave this node.
  func drain() {
    isDraining.store(true, ordering: .relaxed)
    queue.add { [self] in _ = try? directory.beat(node) }
  }

  /// Is not heard of any more.
  func stop() async {
    state.withLock { state in
      state.isStopped = true
      state.loops = []
    }
    await withCheckedContinuation { done in
      // Behind a beat that is under way.
      queue.add { [self] in
        directory.close()
        done.resume()
      }
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }
  private var node: ClusterNode {
    ClusterNode(id: id, program: program, isDraining: isDraining.load(ordering: .relaxed))
  }

  // MARK: Beats

  private func schedule(_ sessions: SessionRegistry<Session>) {
    let nanoseconds =
      UInt64(pace.interval.components.seconds) * 1_000_000_000
      + UInt64(pace.interval.components.attoseconds / 1_000_000_000)
    queue.add(after: nanoseconds) { [self, weak sessions] in
      guard let sessions, !isStopped else { return }
      beat(sessions)
      schedule(sessions)
    }
  }

  private func beat(_ sessions: SessionRegistry<Session>) {
    let sent = time.monotonic()
    do throws(StoreError) {
      let nodes = try directory.beat(node)
      let now = time.monotonic()
      let (mustCompare, newlyDead) = state.withLock { state -> (Bool, [Int]) in
        state.membership.read(nodes, at: now)
        let dead = Set(state.membership.dead)
        defer { state.mourned = dead }
        return (now >= state.nextComparison || isSuspended(at: now), dead.subtracting(state.mourned).sorted())
      }
      for node in newlyDead { logger.warning("A node has died.", metadata: ["node": "\(node)"]) }
      if isSuspended(at: now) {
        noteSuspension("It was held up, or its last words were not heard.")
      } else {
        trust(since: sent)
      }
      if mustCompare { compare(sessions, beat: sent) }
      try free()
    } catch {
      if isSuspended(at: time.monotonic()) { noteSuspension("\(error)") }
    }
  }

  /// Frees what dead nodes have held, a portion with each beat for as long as there is more.
  private func free() throws(StoreError) {
    let dead = state.withLock { $0.membership.dead }
    guard !dead.isEmpty else { return }
    let count = try directory.free(sessionsOf: dead, limit: pace.portion)
    if count > 0 { logger.info("Sessions of dead nodes are free.", metadata: ["sessions": "\(count)"]) }
    guard count == pace.portion else { return }
    // Not at once: beats go first.
    queue.add { [self] in if !isStopped { try? free() } }
  }

  private func trust(since sent: UInt64) {
    trustedUntil.store(sent + pace.trust, ordering: .releasing)
    let wasFailing = state.withLock { state in
      defer { state.isFailing = false }
      return state.isFailing
    }
    if wasFailing { logger.notice("The node is not suspended any more.") }
  }

  private func noteSuspension(_ reason: String) {
    let isNew = state.withLock { state in
      defer { state.isFailing = true }
      return !state.isFailing
    }
    if isNew { logger.error("The node is suspended.", metadata: ["reason": "\(reason)"]) }
  }

  // MARK: Leases

  /// Lets go of sessions that others have taken.
  ///
  /// - Parameters:
  ///   - sessions: those in memory, and the clients of others.
  ///   - sent: when the beat was sent that counts once that is done.
  private func compare(_ sessions: SessionRegistry<Session>, beat sent: UInt64) {
    let loops = state.withLock { state -> [EventLoop] in
      guard !state.isComparing else { return [] }
      state.isComparing = true
      return state.loops
    }
    guard !loops.isEmpty else { return }
    let found = Leases(awaiting: loops.count, sessions.sleepingLeases)
    for loop in loops {
      loop.execute { [self] in
        guard let leases = found.add(loop.leases) else { return }
        queue.add { [self] in
          state.withLock { $0.isComparing = false }
          guard !isStopped, let voided = try? directory.voided(among: leases) else { return }
          letGo(voided, sessions, loops)
          state.withLock { $0.nextComparison = time.monotonic() + pace.comparison }
          if isSuspended(at: time.monotonic()) { trust(since: sent) }
        }
      }
    }
  }

  private func letGo(_ leases: [SessionLease], _ sessions: SessionRegistry<Session>, _ loops: [EventLoop]) {
    guard !leases.isEmpty else { return }
    logger.notice("Sessions have gone on elsewhere.", metadata: ["sessions": "\(leases.count)"])
    sessions.letGo(leases)
    for loop in loops { loop.execute { loop.letGo(leases) } }
  }

  /// The leases of all loops, as they come.
  private final class Leases: Sendable {
    private let state: Mutex<(left: Int, leases: [SessionLease])>

    init(awaiting count: Int, _ leases: [SessionLease]) { state = Mutex((count, leases)) }

    /// Adds those of a loop.
    ///
    /// - Returns: all, if it was the last one.
    func add(_ leases: [SessionLease]) -> [SessionLease]? {
      state.withLock { state in
        state.leases += leases
        state.left -= 1
        return state.left == 0 ? state.leases : nil
      }
    }
  }
}

extension EventLoop {
  /// The leases of the loop's sessions; to be called on the loop.
  var leases: [SessionLease] { sessions.values.compactMap(\.core.lease) }

  /// Lets go of sessions that others have taken; to be called on the loop.
  ///
  /// - Parameter leases: which are void.
  fileprivate func letGo(_ leases: [SessionLease]) {
    let voided = Dictionary(leases.map { ($0.row, $0.number) }) { first, _ in first }
    for session in Array(sessions.values) {
      guard let lease = session.core.lease, voided[lease.row] == lease.number else { continue }
      session.core.leaseIsVoid()
    }
  }
}
