import Logging
import RibCore
import Wire

@testable import RibServer
@testable import RibTesting

/// A server's process: one loop with its sessions, and the writer to the store.
///
/// The sessions, their channels, the registry and the finder are the real ones. What ``EventLoop`` and ``StoreWriter`` do
/// with queues is done here one step at a time.
///
/// `@unchecked Sendable`: a world is run by one thread.
final class ModelServer: @unchecked Sendable {
  /// What is asked of the store: ``StoreJob``.
  struct Job {
    let request: StoreRequest
    let completion: (Result<StoreResult, StoreError>) -> Void
  }

  /// What the store knows it by, counted from 1.
  let number: Int
  let rules: Set<ModelRule>
  let store: ModelStore
  let socket: ModelSocket
  /// Told of each effect that starts: by which action.
  let onEffect: (Int) -> Void
  /// Called where another thread may do something, although it is in the midst of a step.
  let interrupt: () -> Void
  let work: Workspace
  let registry = SessionRegistry<ModelHost>()
  /// What the sessions observe.
  let news: ModelNews
  /// Where effects run.
  let executor = ManualExecutor()
  private let app: App
  static let context = ServerContext(
    apps: [], files: StaticFiles(), settings: ServerSettings(),
    logger: Logger(label: "model") { _ in SwiftLogNoOpLogHandler() })

  /// Bytes that may wait before the client gets no more patches: few, so that it happens.
  private static let writeQueueLimit = 600

  private(set) var hosts: [ModelHost] = []
  private var isDead = false
  private var committing: [ModelHost] = []
  private var flushing: [ModelConnection] = []
  /// Connections whose turn comes after the present event.
  private var yielding: [ModelConnection] = []
  /// What is to be run after the present event.
  private var later: [@Sendable () -> Void] = []
  /// What the store has been asked for.
  private var jobs: [Job] = []
  /// What it has written and not reported.
  private var unreported: [(Job, Result<StoreResult, StoreError>)] = []
  private(set) var isStoreFailing = false
  /// What a step ran into that cannot throw.
  private var failure: (any Error)?

  /// A server that has just been started.
  init(
    _ number: Int, _ rules: Set<ModelRule>, _ store: ModelStore, _ socket: ModelSocket, _ environment: Environment,
    _ news: ModelNews, onEffect: @escaping (Int) -> Void, interrupt: @escaping () -> Void
  ) {
    self.number = number
    self.rules = rules
    self.store = store
    self.socket = socket
    self.news = news
    self.onEffect = onEffect
    self.interrupt = interrupt
    app = App("model") { ModelRoot(news: news) }
    work = Workspace(environment, messageLimit: 65_536, writeQueueLimit: Self.writeQueueLimit)
    work.brokenRules = Set(ModelRule.allCases).subtracting(rules).reduce(into: []) { broken, rule in
      if let rule = SessionRule(rawValue: rule.rawValue) { broken.insert(rule) }
    }
  }

  /// Whether nothing is under way.
  var isQuiet: Bool {
    jobs.isEmpty && unreported.isEmpty && !isStoreFailing && hosts.allSatisfy(\.core.commits.isClean)
  }

  // MARK: Sessions

  /// Begins the session that a `hello` asks for.
  ///
  /// - Returns: why it cannot be shown, or nil.
  func begin(_ hello: ClientMessage.Hello, at channel: Channel) throws -> String? {
    let token = work.environment.makeToken()
    let core = try SessionCore(
      of: app, hello.parameters, token: token, durability: .disk, outage: store.outage, work, Self.context)
    let host = ModelHost(core, on: self)
    return withExtendedLifetime(host) { host.core.start(channel, hello.client, token: token) }
  }

  func add(_ host: ModelHost, isNew: Bool) {
    hosts.append(host)
    if isNew { registry.add(host, host.core.id) }
  }

  func remove(_ host: ModelHost) {
    hosts.removeAll { $0 === host }
    registry.remove(host, host.core.id)
  }

  var finder: SessionFinder<ModelServer> { SessionFinder(registry: registry, source: self) }

  // MARK: Events

  func willCommit(_ host: ModelHost) { committing.append(host) }
  func willFlush(_ connection: ModelConnection) { flushing.append(connection) }

  func goOnLater(_ connection: ModelConnection) {
    if !yielding.contains(where: { $0 === connection }) { yielding.append(connection) }
  }

  /// The end of a batch of events, and the jobs that it has put on the loop.
  func endEvents() throws {
    repeat {
      while !committing.isEmpty || !flushing.isEmpty {
        let sessions = committing
        committing = []
        for host in sessions {
          if let request = host.core.takeCut() { submit(Job(request: request) { host.core.didCommit($0) }) }
        }
        let connections = flushing
        flushing = []
        for connection in connections { connection.flush() }
      }
      if !later.isEmpty {
        later.removeFirst()()
      } else if !yielding.isEmpty {
        try yielding.removeFirst().goOn()
      }
    } while !committing.isEmpty || !flushing.isEmpty || !later.isEmpty || !yielding.isEmpty
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  /// Runs something within a step that cannot throw; the events' end does.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { failure = failure ?? error }
  }

  func submit(_ job: Job) { jobs.append(job) }

  /// Lets effects go on that observe: all of them, or for a step.
  ///
  /// - Returns: whether there was something to do.
  func runEffects(atMost steps: Int = .max) throws -> Bool {
    let count = executor.run(atMost: steps)
    try endEvents()
    return count > 0
  }

  /// Does what was asked for, in one commit that is not synced: the first half of `StoreWriter.run()`.
  func write() throws {
    guard unreported.isEmpty, !jobs.isEmpty else { return }
    let taken = jobs
    jobs = []
    do {
      let results = try store.perform(taken.map(\.request), for: number)
      if isStoreFailing { recover() }
      unreported = zip(taken, results).map { ($0, .success($1)) }
    } catch {
      isStoreFailing = true
      unreported = taken.map { ($0, .failure(StoreError("\(error)"))) }
    }
    if !rules.contains(.syncedFirst) { try report() }
  }

  /// Syncs, and reports: the second half.
  func sync() throws {
    store.sync()
    try report()
  }

  private func report() throws {
    let answers = unreported
    unreported = []
    for (job, result) in answers { job.completion(result) }
    try endEvents()
  }

  /// Tries a store that has failed again: `StoreWriter.tryAgain(after:)`.
  func probe() throws {
    // Who has asked in vain is told so before.
    guard isStoreFailing, !store.isDown, unreported.isEmpty else { return }
    recover()
    try endEvents()
  }

  private func recover() {
    isStoreFailing = false
    for host in hosts { host.core.storeIsBack() }
  }

  /// Ends without another word.
  func die() {
    isDead = true
    for host in hosts { host.die() }
    hosts = []
    committing = []
    flushing = []
    yielding = []
    later = []
    jobs = []
    unreported = []
    executor.runUntilIdle()
  }
}

extension ModelServer: SessionSource {
  var isStopping: Bool { isDead }
  var wallClock: Int { ModelWorld.wallClock }

  func execute(_ body: @escaping @Sendable () -> Void) { later.append(body) }

  func ask(_ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void) {
    submit(Job(request: request, completion: completion))
  }

  func refusal(of resting: RestingSession) -> Ending? { nil }

  var program: String { Self.context.environment.program }

  func noteAbsence(ofSession id: String, _ lease: SessionLease) {
    submit(Job(request: .noteAbsence(sessionID: id, lease)) { _ in })
  }

  func restore(_ stored: StoredSession) -> Result<ModelHost, Ending> {
    do {
      let host = ModelHost(
        try SessionCore(of: app, stored, durability: .disk, outage: store.outage, work, Self.context), on: self)
      return host.core.restore(stored).map { .failure($0) } ?? .success(host)
    } catch {
      return .failure(Ending(.failed, "\(error)"))
    }
  }
}
