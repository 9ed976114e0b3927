import Logging
import Metrics
import RibCore
import Wire

/// A session without I/O: its riblets, its clients, and what they have been told.
///
/// It is handed what happens, on its loop: messages and requests of clients, reports of effects, answers of the store, the
/// time. Each action of a client and each report of an effect is one transaction of the tree. What it changed is written
/// into the channels of the clients, behind a barrier that the commit lifts; all else that is to be done is a
/// ``SessionCommand`` for the driver. Nothing waits in here, and nothing is asked of the system but what the
/// ``Workspace`` has of it.
///
/// Four machines share the work, each with its table: ``Life``, ``Commits``, ``Audience`` and ``RunningEffects``.
///
/// | the event                      | changes                      | is answered by                                    |
/// |--------------------------------|------------------------------|---------------------------------------------------|
/// | an action, a report            | tree, ledger                 | a patch or a refusal, held until the commit       |
/// | a client comes, goes, invites  | audience                     | `welcome`, patches or a snapshot; held as well    |
/// | the end of a batch of events   | commits                      | a cut for the store                               |
/// | the store has written          | commits                      | held messages go, effects start, or it leaves     |
/// | the store fails                | commits                      | `notice`, and held messages go; or none does      |
/// | another process has it         | life                         | `bye moved`; what was not committed is forgotten  |
/// | time                           | life                         | it rests, or ends                                 |
final class SessionCore {
  let identity: SessionIdentity
  let context: ServerContext
  let work: Workspace
  /// Carries out what the session asks for; nil once the session has left memory.
  weak var driver: (any SessionDriver)?
  let tree: Tree
  let walk: App.Walk?
  /// Whether the session has just woken, and those of its clients that slept come one after the other.
  ///
  /// None of them has been away; who has, is known a second later, and told then.
  @exclusivity(unchecked) var isGathering = false
  /// The count of connected clients that riblets observe; nil if the app's root takes no ``SessionContext``.
  let connectedClients: ConnectedClients?
  /// The person who has begun the session, as riblets observe it; nil if the app's root takes no ``SessionContext``.
  let currentIdentity: CurrentIdentity?
  var id: String { identity.id }
  /// Who may use the session's app.
  var access: App.Access { context.apps[identity.app]?.access ?? .identified }

  var life = Life()
  var audience: Audience
  /// The client whose action was the last; 0 for none.
  var lastActor = 0
  var effects: RunningEffects
  var commits: Commits
  let onUnreadableState: App.UnreadableState
  var uncommitted = Uncommitted()
  /// The session's cost so far.
  @exclusivity(unchecked) var stats: SessionStats
  /// The latest events in the session, for somebody who looks; nil if nobody does.
  @exclusivity(unchecked) var watch: SessionWatch?

  /// The life of the tree that revisions are counted in.
  var epoch: String
  var revision = 1
  var history = PatchHistory()
  /// The session's spans; nil if the program has chosen no tracer.
  let spans: SessionSpans?
  // What is small stands together, as it would take eight bytes of every session between larger fields.
  /// The number that the session's app is counted under.
  let appNumber: Int32
  /// Whether an action was applied: otherwise there is nothing to lose.
  var hasActed = false
  /// Whether the store has refused to create the session, as its place or its person has too many.
  var isOverQuota = false
  /// Whether the store was told to delete the session, or need not be, as it never had it.
  var isRemoved = false
  /// Whether the session has ended, and the store could not forget it.
  var isLeftInStore = false
  /// Whether its clients were told to connect again, so that it goes where they are.
  var hasFollowed = false
  /// Whether a walk through the tree is under way.
  var isWalking = false
  /// Whether the clients are to be told that the store is back, with the next commit.
  var owesNotice = false
  /// Whether clients may have been told of what the store does not have, when the server began to stop.
  var hasToldMore = false
  /// What a commit survives.
  let storeDurability: Welcome.Durability
  /// Whether messages to clients wait for a commit.
  var isDurable: Bool { storeDurability != .none }
  /// The number of the tree's transactions that the store has.
  var savedTransactionCount: UInt64 = 0
  /// When the last cut was made that the store has taken, in nanoseconds of the monotonic clock: the session was this process's.
  var lastConfirmed: UInt64 = 0
  /// The right to write the session; nil before the store has it.
  var lease: SessionLease?
  /// The version of the last cut that was made under the lease.
  var version: Int64 = 0
  /// What the last cut had of what seldom changes; nil if there is none, or the session was about to leave memory.
  var lastExtent: CutExtent?

  /// A session whose tree is not started.
  ///
  /// - Parameters:
  ///   - app: what its root is built by.
  ///   - parameters: what the client has said in its `hello`.
  ///   - token: what the first client proves itself with.
  ///   - profile: what the first client has said of itself, and the person behind it.
  ///   - place: the first client's place, which the session counts towards; nil if it counts towards none.
  ///   - durability: what a commit survives.
  ///   - outage: what the session does while the store fails.
  ///   - work: the loop's memory.
  ///   - context: what all loops share.
  /// - Throws: what the app says of the parameters.
  init(
    of app: App, _ parameters: JSONElement?, token: String, profile: ClientProfile?, place: Place? = nil,
    durability: Welcome.Durability, outage: Outage, _ work: Workspace, _ context: ServerContext
  ) throws {
    identity = SessionIdentity(
      id: work.environment.randomHex(words: 2), app: app.name,
      parameters: app.takesParameters ? parameters?.source : nil, place: place?.text)
    audience = Audience(token: token, profile: profile)
    effects = RunningEffects()
    storeDurability = durability
    commits = Commits(outage)
    self.work = work
    self.context = context
    stats = SessionStats(at: work.now)
    appNumber = Int32(context.number(ofApp: app.name))
    spans = context.tracer.map { [identity] in SessionSpans($0, identity) }
    epoch = work.environment.randomHex(words: 1)
    onUnreadableState = app.onUnreadableState
    let planted = try app.makeTree(parameters, Self.name(identity.id, profile, work, context))
    (tree, walk) = (planted.tree, planted.walk)
    (connectedClients, currentIdentity) = (planted.context?.clients, planted.context?.identity)
    prepareTree()
  }

  /// A session whose tree is not restored.
  ///
  /// - Parameters:
  ///   - app: what its root is built by.
  ///   - stored: what the store has of it; the tree comes with ``restore(_:)``.
  ///   - durability: what a commit survives.
  ///   - outage: what the session does while the store fails.
  ///   - work: the loop's memory.
  ///   - context: what all loops share.
  /// - Throws: what the app says of the parameters.
  init(
    of app: App, _ stored: StoredSession, durability: Welcome.Durability, outage: Outage, _ work: Workspace,
    _ context: ServerContext
  ) throws {
    identity = stored.identity
    audience = Audience(stored)
    effects = RunningEffects(crashes: stored.crashes)
    hasActed = stored.state.hasActed
    revision = stored.state.revision
    lease = stored.lease
    storeDurability = durability
    commits = Commits(outage)
    self.work = work
    self.context = context
    stats = SessionStats(at: work.now)
    appNumber = Int32(context.number(ofApp: app.name))
    spans = context.tracer.map { SessionSpans($0, stored.identity) }
    epoch = work.environment.randomHex(words: 1)
    let parameters = try stored.identity.parameters.map { try StateCoder.read($0) }
    // The walk has been done, or was cut off with everything else.
    onUnreadableState = app.onUnreadableState
    let planted = try app.makeTree(
      parameters,
      Self.name(identity.id, stored.state.clients.first?.profile, work, context))
    (tree, walk) = (planted.tree, nil)
    (connectedClients, currentIdentity) = (planted.context?.clients, planted.context?.identity)
    prepareTree()
  }

  /// What the app knows the session by.
  ///
  /// The idempotency keys of effects begin with another text each time that the session
  /// comes into memory: a store that was put back from a copy, or has lost what was not synced, counts transactions a second
  /// time.
  private static func name(
    _ id: String, _ profile: ClientProfile?, _ work: Workspace, _ context: ServerContext
  ) -> App.Session {
    App.Session(id: id, keyPrefix: "\(id).\(work.environment.randomHex(words: 1))", profile: profile) {
      [weak context] in
      try await context?.signOuts?.signOut(PersonID($0))
    }
  }

  private func prepareTree() {
    work.stats.makeRoom(forApps: Int(appNumber) + 1)
    tree.notesChanges = isDurable
    tree.recorder = context.makeRecorder(of: identity)
  }

  // MARK: Notes

  /// Counts something of the session's app.
  func count(_ count: LoopStats.AppCount, times: Int = 1) {
    work.stats.apps[Int(appNumber)].note(count, times: times)
  }

  /// Takes note that an action is answered once what was committed last, or now, is.
  func noteAnswer() {
    if commits.isPending { uncommitted.answers.note(at: work.now) } else { work.stats.answeredInTurn += 1 }
  }

  /// A reducer that takes long holds up every session of its loop.
  ///
  /// - Parameters:
  ///   - start: when the transaction began, in nanoseconds of the monotonic clock.
  ///   - client: the client whose action it was; nil for an action of none.
  ///   - seen: the transaction, for somebody who looks.
  @inline(__always)
  func noteDuration(since start: UInt64, of client: Int? = nil, _ seen: () -> SeenTransaction) {
    let nanoseconds = work.time() - start
    let isSlow = nanoseconds >= 10_000_000
    work.stats.apps[Int(appNumber)].transactions.add(nanoseconds)
    stats.noteTransaction(nanoseconds, isSlow: isSlow)
    if let client { audience.noteTime(nanoseconds, of: client) }
    if work.book != nil || watch != nil { show(seen(), nanoseconds) }
    if isSlow { noteSlowness(nanoseconds, of: client) }
  }

  private func noteSlowness(_ nanoseconds: UInt64, of client: Int?) {
    context.metrics.slowTransactions.increment()
    work.slow.note(identity, riblet: tree.lastTypeName ?? "", nanoseconds, at: work.now)
    log(
      .warning, "A transaction took long.",
      ["riblet": "\(tree.lastTypeName ?? "none")", "milliseconds": "\(nanoseconds / 1_000_000)"]
        .tracing(client.flatMap(trace)))
  }

  /// The trace of a client's request that is being answered, or of its connection; nil if it has none.
  func trace(of client: Int) -> RequestTrace? { work.trace ?? audience[client].channel?.trace }

  func log(
    _ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    guard context.logger.logLevel <= level else { return }
    var all = metadata()
    all["session"] = "\(id)"
    context.logger.log(level: level, message, metadata: all)
  }
}
