import Logging
import Metrics
import RibCore
import Synchronization
import Wire

/// Riblets, and what those who draw them have been told of them.
///
/// The actor runs on its connection's loop, so that the connection reaches it without a hop. It is the tree's driver:
/// each action of a client and each report of an effect is one transaction. What it changed goes out as a patch, and the
/// effects that it asked for start, once it is committed: at once, or with a store when the store has it.
///
/// It outlives its connections. When it has had none for a while it leaves memory, and comes back from the store when a
/// client does.
actor Session {
  nonisolated let identity: SessionIdentity
  nonisolated let loop: EventLoop
  nonisolated var id: String { identity.id }
  /// Its number among those of its loop; 0 before it has started and after it has ended or left memory.
  var place = 0
  let context: ServerContext
  let tree: Tree
  let walk: App.Walk?
  /// The life of the tree that revisions are counted in.
  var epoch = SessionToken.randomHex(words: 1)
  var revision = 1

  /// Those who draw the view, by their ids, counted from 1.
  var renderers: [Renderer]
  var invitations: [Invitation] = []
  /// Whether an action was applied: otherwise there is nothing to lose.
  var hasActed = false
  var history = PatchHistory()
  /// Since when there is no connection, as the loop's time; nil if there is one.
  var aloneSince: UInt64?
  /// When it is looked whether the session is to end or to rest, as the loop's time.
  var nextLook = UInt64.max
  /// When something happened last, as the loop's time.
  var lastChange: UInt64 = 0

  /// Whether what is said waits for a commit.
  let isDurable: Bool
  var commits = Commits()
  var uncommitted = Uncommitted()
  /// The right to write the session; nil before the store has it.
  var lease: SessionLease?
  /// The version of the last cut that was made under the lease.
  var version: Int64 = 0
  /// What ran when a server died, as far as it has not gone well since.
  var crashes: [StoredSession.Crash] = []
  /// The effects that have ended, by their numbers, as far as it matters: since the session is in memory.
  var endedEffects: Set<Int> = []
  /// How the session is to leave.
  var departure: Departure? {
    didSet { if oldValue == .resting, departure != .resting { loop.didRest() } }
  }

  var effects: [EffectToken: RunningEffect] = [:]
  var walkTask: Task<Void, Never>?
  /// Steps of walks that wait for the next transaction.
  var waitingSteps: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A session whose tree is not started.
  ///
  /// - Throws: what the app says of the parameters.
  init(of app: App, _ hello: ClientMessage.Hello, token: String, on loop: EventLoop, _ context: ServerContext) throws {
    identity = SessionIdentity(
      id: SessionToken.randomHex(words: 2), app: app.name, parameters: hello.parameters?.source)
    renderers = [Renderer(ledger: ClientLedger(id: 1, token: token))]
    self.loop = loop
    self.context = context
    isDurable = loop.isDurable
    (tree, walk) = try app.makeTree(hello.parameters, identity.id)
    tree.notesChanges = isDurable
    tree.recorder = context.recordings?.makeRecorder(of: identity)
    context.sessionCount.add(1, ordering: .relaxed)
  }

  /// A session whose tree is not restored.
  ///
  /// - Throws: what the app says of the parameters.
  init(of app: App, _ stored: StoredSession, on loop: EventLoop, _ context: ServerContext) throws {
    identity = stored.identity
    renderers = stored.state.clients.map { record in
      Renderer(ledger: ClientLedger(record, nacks: stored.nacks.filter { $0.client == record.id }.map(\.nack)))
    }
    invitations = stored.state.invitations
    hasActed = stored.state.hasActed
    revision = stored.state.revision
    lease = stored.lease
    crashes = stored.crashes
    self.loop = loop
    self.context = context
    isDurable = loop.isDurable
    let parameters = try stored.identity.parameters.map { try StateCoder.read($0) }
    // The walk has been done, or was cut off with everything else.
    (tree, walk) = (try app.makeTree(parameters, identity.id).0, nil)
    tree.notesChanges = isDurable
    tree.recorder = context.recordings?.makeRecorder(of: identity)
    context.sessionCount.add(1, ordering: .relaxed)
  }

  isolated deinit {
    context.sessionCount.subtract(1, ordering: .relaxed)
  }

  // MARK: Notes

  /// A reducer that takes long holds up every session of its loop.
  func noteDuration(since start: UInt64) {
    let milliseconds = (loop.time() - start) / 1_000_000
    guard milliseconds >= 10 else { return }
    context.metrics.slowTransactions.increment()
    log(
      .warning, "A transaction took long.",
      ["riblet": "\(tree.lastTypeName ?? "none")", "milliseconds": "\(milliseconds)"])
  }

  func log(
    _ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    guard context.logger.logLevel <= level else { return }
    var all = metadata()
    all["session"] = "\(id)"
    context.logger.log(level: level, message, metadata: all)
  }
}
