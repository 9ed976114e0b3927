import Logging
import RibCore
import Synchronization

/// This server as one of the nodes that share a store.
///
/// A node beats every second: it says that it is there, and reads who else is. No beat is needed for a session to be safe: the store compares
/// the lease of whoever writes. It is for sessions not to be taken from who has them, and for a node that is cut off to notice.
///
/// | this node                                       | lets clients in   | shows views                | runs actions, and answers them |
/// |-------------------------------------------------|-------------------|----------------------------|--------------------------------|
/// | was heard of in the last three seconds          | yes               | yes                        | once they are committed        |
/// | is suspended: it was not, or was held up itself | no: `unavailable` | once a commit has shown that the session is this node's | once they are committed |
///
/// A suspension begins by itself, before anything is read that has come meanwhile: whoever asks compares the time. It ends once the
/// node was heard of, and all loops have let go of what others have taken. A machine whose clock stands still while it is paused does not
/// notice; what it commits is compared nevertheless.
final class Cluster: Sendable {
  /// How often it does what, in nanoseconds; tests have times of their own.
  struct Pace: Sendable {
    /// Between two beats.
    var interval: UInt64 = 1_000_000_000
    /// Between a beat that was not heard and the next one.
    var retry: UInt64 = 250_000_000
    /// For how long a beat counts from when it was sent: for less than others wait before they take the node for dead, ``Membership``.
    var trust: UInt64 = 2_900_000_000
    /// Between two comparisons of all leases: a session that was taken by force is noticed at the latest then.
    var comparison: UInt64 = 10_000_000_000
    /// Between two complaints about the same.
    var complaint: UInt64 = 60_000_000_000
    /// Between two looks for sessions of nodes that nobody knows any more.
    var orphans: UInt64 = 600_000_000_000
    /// The same if the last one has failed.
    var retryOfOrphans: UInt64 = 60_000_000_000
    /// How many sessions of dead nodes are freed in one commit.
    var portion = 500
    /// How long a session stays that has come from another node: one move in that time, whoever asks.
    var stay: UInt64 = 10_000_000_000
    /// How many leases are compared at a time.
    var leases = 5_000
  }

  /// The membership, the comparison of leases, and when each is due next.
  struct State {
    var membership: Membership
    var loops: [EventLoop] = []
    var sessions: SessionRegistry<Session>?
    var isStopped = false
    /// Whether it was told that the node is suspended.
    var hasToldOfSuspension = false
    /// When the last beat was sent that was heard.
    var lastHeard: UInt64 = 0
    /// The number of suspensions so far, during each of which other nodes may have taken sessions.
    var suspension = 0
    /// The value of ``suspension`` at the start of the running comparison of leases; nil if none is running.
    var comparison: Int?
    /// When leases are compared next.
    var nextComparison: UInt64 = 0
    /// Sessions that may be this node's without its knowing, and when they are looked at next.
    var strays = Strays()
    var nextLookAtStrays: UInt64 = 0
    /// When it is looked next for sessions of nodes that nobody knows any more.
    var nextOrphans: UInt64 = 0
    /// When it may be said again that something fails.
    var nextComplaint: UInt64 = 0
    /// The nodes of whose death was told.
    var mourned: Set<Int> = []
    /// Nil if others cannot reach this node.
    var links: Links?
    /// Where they do.
    var address = ""
    /// Which sessions have come lately.
    var moves: RecentMoves
    var connections = ExchangeNumbers()
    /// Whether cluster values are to be read: others may have changed them without a word of it here.
    var mustRefresh = false
    /// Whether publications of others have not come, or may not have, of which topics are to be told once the values are read.
    var hasGap = false
    /// Until when clients may go elsewhere that nodes pass on which are about to stop.
    var drainEnds: [Int: UInt64] = [:]
    /// How many clients other nodes have passed on.
    var relayedCount = 0
  }

  /// This node's number.
  let id: Int
  /// The mark of this process; 0 for none.
  private let mark: Int
  let directory: any ClusterDirectory
  let time: TimeSource
  let logger: Logger
  let pace: Pace
  /// The topics, presences and cluster values that other nodes have as well.
  let exchanges: Exchanges
  let writes = ValueWrites()
  /// Where the directory is used.
  let queue: any JobQueue
  let state: Mutex<State>
  let program: String
  /// Until when the last beat counts, in nanoseconds of the clock that never jumps.
  private let trustedUntil = Atomic<UInt64>(0)
  private let isDraining = Atomic(false)
  /// Where the names of nodes are looked up.
  let addresses: NodeAddresses
  /// Whether nodes pass clients on to each other.
  ///
  /// Set once, before the first connection is accepted.
  nonisolated(unsafe) var takesRelays = false

  /// A node that nobody knows of yet.
  ///
  /// - Parameters:
  ///   - id: its number.
  ///   - mark: the mark of its process; 0 for none.
  ///   - directory: where nodes find each other.
  ///   - environment: what tells the time, and makes the queue.
  ///   - logger: told of the deaths of others, and of suspensions.
  ///   - pace: how often it does what.
  ///   - exchanges: of the topics, presences and cluster values that other nodes have as well.
  init(
    _ id: Int, mark: Int = 0, in directory: any ClusterDirectory, _ environment: Environment, _ logger: Logger,
    pace: Pace = Pace(), exchanges: Exchanges = .shared
  ) {
    (self.id, self.mark) = (id, mark)
    self.directory = directory
    self.logger = logger
    self.pace = pace
    self.exchanges = exchanges
    time = environment.time
    program = environment.program ?? Executable.contentMark
    if environment.program == nil, Executable.knownContentMark == nil {
      logger.warning(
        "The program's file cannot be read: the node counts as one of another program, and gives few sessions to others."
      )
    }
    queue = environment.makeQueue("ribserver.cluster", .urgent)
    addresses = NodeAddresses(environment)
    state = Mutex(State(membership: Membership(own: id), moves: RecentMoves(stay: pace.stay)))
  }

  /// Begins to be one of the nodes.
  ///
  /// - Parameters:
  ///   - loops: the server's.
  ///   - sessions: those of its sessions that are in memory, and the clients of others.
  /// - Throws: ``StoreError`` if the others cannot see it.
  func start(_ loops: [EventLoop], _ sessions: SessionRegistry<Session>) throws(StoreError) {
    let (sent, nodes) = try beatFirst()
    try connectValues()
    state.withLock { state in
      (state.loops, state.sessions) = (loops, sessions)
      state.nextComparison = sent + pace.comparison
      noteHeard(nodes, sent, &state)
    }
    linkToOthers()
    trust(since: sent)
    logger.info("The node is one of a cluster.", metadata: ["node": "\(id)", "nodes": "\(nodes.count)"])
    schedule(after: pace.interval)
  }

  /// Has the others hear of the node.
  ///
  /// A step that changes the tables waits 1.1 s for each, which is longer than a beat does, and other steps may follow.
  ///
  /// - Returns: when it was sent, and the nodes.
  private func beatFirst() throws(StoreError) -> (sent: UInt64, nodes: [ClusterNode]) {
    var failures = 0
    while true {
      let sent = time.monotonic()
      do throws(StoreError) {
        return (sent, try directory.beat(node))
      } catch {
        failures += 1
        if failures == Self.firstBeats { throw error }
      }
    }
  }

  /// How many beats may fail before a node gives up to join.
  private static let firstBeats = 4

  /// Whether this node has not been heard of for so long that others may take its sessions.
  ///
  /// Thread-safe.
  ///
  /// - Parameter now: nanoseconds of the clock that never jumps.
  /// - Returns: true from the end of the last beat's trust until the next one is heard, and leases are compared.
  func isSuspended(at now: UInt64) -> Bool { now >= trustedUntil.load(ordering: .acquiring) }

  /// Has the others know that clients are asked to leave this node; they ask those whom it passes on to them.
  ///
  /// - Parameter seconds: how long clients may take.
  func drain(within seconds: Int) {
    isDraining.store(true, ordering: .relaxed)
    state.withLock { $0.links }?.drain(within: seconds)
    queue.add { [self] in if !isStopped { _ = try? directory.beat(node) } }
  }

  /// Is not heard of any more; returns when a beat that is under way has ended.
  func stop() async {
    end()
    await withCheckedContinuation { done in
      queue.add { [self] in
        writeLastValues()
        directory.close()
        done.resume()
      }
    }
  }

  /// The same for a server that could not start; it waits.
  func cancel() {
    end()
    queue.run {
      writeLastValues()
      directory.close()
    }
  }

  private func end() {
    let links = state.withLock { state in
      state.isStopped = true
      (state.loops, state.sessions) = ([], nil)
      return state.links
    }
    disconnectLinks()
    links?.stop()
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  private var node: ClusterNode {
    let (address, secret) = state.withLock { ($0.address, $0.links?.ownSecret ?? "") }
    return ClusterNode(
      id: id, program: program, isDraining: isDraining.load(ordering: .relaxed), address: address, secret: secret,
      mark: mark)
  }

  // MARK: Beats

  private func schedule(after nanoseconds: UInt64) {
    queue.add(after: nanoseconds) { [weak self] in
      guard let self, !isStopped else { return }
      let start = time.monotonic()
      guard beat() else { return schedule(after: pace.retry) }
      schedule(after: pace.interval - min(time.monotonic() - start, pace.interval))
    }
  }

  /// Has the others hear that the node is there.
  ///
  /// - Returns: whether they have.
  func beat() -> Bool {
    let sent = time.monotonic()
    let nodes: [ClusterNode]
    do throws(StoreError) {
      nodes = try directory.beat(node)
    } catch {
      noteSuspension("\(error)")
      linkToOthers()
      return false
    }
    let now = time.monotonic()
    let newlyDead = state.withLock { state -> [Int] in
      noteHeard(nodes, sent, &state)
      let dead = Set(state.membership.dead.map(\.id))
      defer { state.mourned = dead }
      return dead.subtracting(state.mourned).sorted()
    }
    for node in newlyDead {
      logger.warning("A node has died.", metadata: ["node": "\(node)"])
    }
    if !newlyDead.isEmpty { state.withLock { $0.links }?.forgetPresence(ofDead: newlyDead) }
    linkToOthers()
    if isSuspended(at: now) {
      noteSuspension("It was held up, or its last words were not heard.")
      compare()
    } else {
      trust(since: sent)
      if state.withLock({ now >= $0.nextComparison }) { compare() }
    }
    // Not at once: beats go first.
    queue.add { [weak self] in
      guard let self, !isStopped else { return }
      refreshValuesIfNeeded()
      queue.add { [weak self] in self?.free() }
    }
    return true
  }

  private func noteHeard(_ nodes: [ClusterNode], _ sent: UInt64, _ state: inout State) {
    let now = time.monotonic()
    if now >= state.lastHeard + pace.trust { state.suspension += 1 }
    state.lastHeard = sent
    state.membership.read(nodes, askedAt: sent, at: now)
  }

  /// Counts on a beat that was heard.
  ///
  /// - Parameter sent: when it was sent.
  func trust(since sent: UInt64) {
    trustedUntil.store(sent + pace.trust, ordering: .releasing)
    guard !isSuspended(at: time.monotonic()) else { return }
    let wasSuspended = state.withLock { state in
      defer { state.hasToldOfSuspension = false }
      return state.hasToldOfSuspension
    }
    if wasSuspended { logger.notice("The node is not suspended any more.") }
  }

  private func noteSuspension(_ reason: String) {
    guard isSuspended(at: time.monotonic()) else { return }
    let isNew = state.withLock { state in
      defer { state.hasToldOfSuspension = true }
      return !state.hasToldOfSuspension
    }
    if isNew { logger.error("The node is suspended.", metadata: ["reason": "\(reason)"]) }
  }

  /// Says that something else fails than a beat; not more often than once a minute.
  func complain(_ message: Logger.Message, _ error: StoreError) {
    let now = time.monotonic()
    let isDue = state.withLock { state in
      guard now >= state.nextComplaint else { return false }
      state.nextComplaint = now + pace.complaint
      return true
    }
    if isDue { logger.warning(message, metadata: ["reason": "\(error)"]) }
  }

  // MARK: The dead

  /// Frees a portion of what dead nodes have held, and goes on as long as there is more.
  private func free() {
    let now = time.monotonic()
    let (dead, mustLookForOrphans) = state.withLock { state in
      guard !state.isStopped else { return ([ClusterNode](), false) }
      return (state.membership.dead, now >= state.nextOrphans)
    }
    guard !dead.isEmpty || mustLookForOrphans else { return }
    do throws(StoreError) {
      var count = dead.isEmpty ? 0 : try directory.free(sessionsOf: dead, limit: pace.portion)
      if mustLookForOrphans, count < pace.portion {
        // A look for orphans may take longer than the database is given: it is not tried again with each beat.
        state.withLock { $0.nextOrphans = now + pace.retryOfOrphans }
        let orphans = try directory.freeOrphans(limit: pace.portion)
        state.withLock { $0.nextOrphans = orphans < pace.portion ? now + pace.orphans : now }
        count = max(count, orphans)
      }
      if count > 0 { logger.info("Sessions of dead nodes are free.", metadata: ["sessions": "\(count)"]) }
      if count >= pace.portion { queue.add { [weak self] in self?.free() } }
    } catch {
      complain("Sessions of dead nodes cannot be freed.", error)
    }
  }
}
