import RibCore
import Wire

@testable import RibServer

/// A server's process: one loop with its sessions, and the writer to the store.
///
/// It does what `EventLoop` does about commits, and what `StoreWriter`, `SessionRegistry` and `SessionLoader` do, one step
/// at a time.
final class ModelServer {
  typealias Waiter = (ModelSession?, Bye, String) throws -> Void

  /// What is asked of the store: `StoreWriter.Job`.
  struct Job {
    let request: StoreRequest
    let completion: (Result<StoreResult, StoreError>) throws -> Void
  }

  private enum Entry {
    case live(ModelSession)
    case loading([(tokenHash: String?, waiter: Waiter)])
  }

  let rules: Set<ModelRule>
  let store: ModelStore
  let socket: ModelSocket
  /// Told of each effect that starts: by which action.
  let onEffect: (Int) -> Void

  var json = JSONWriter()
  var reader = JSONReader()
  let renderer = ViewRenderer()
  private var entries: [String: Entry] = [:]
  /// The connections of clients whose session is not in memory.
  private var sleepers: [String: [ModelConnection]] = [:]
  private(set) var committing: [ModelSession] = []
  /// Connections whose turn comes after the present event.
  private var yielding: [ModelConnection] = []
  /// What the store has been asked for.
  private var jobs: [Job] = []
  /// What it has written and not reported.
  private var unreported: [(Job, Result<StoreResult, StoreError>)] = []
  private(set) var isStoreFailing = false

  /// A server that has just been started.
  init(_ rules: Set<ModelRule>, _ store: ModelStore, _ socket: ModelSocket, onEffect: @escaping (Int) -> Void) {
    self.rules = rules
    self.store = store
    self.socket = socket
    self.onEffect = onEffect
  }

  /// The sessions that are in memory.
  var sessions: [ModelSession] {
    entries.values.compactMap { if case .live(let session) = $0 { session } else { nil } }
  }

  /// Whether nothing is under way.
  var isQuiet: Bool {
    jobs.isEmpty && unreported.isEmpty && !isStoreFailing && sessions.allSatisfy(\.commits.isClean)
  }

  // MARK: The registry

  func add(_ session: ModelSession) { entries[session.id] = .live(session) }

  func remove(_ session: ModelSession) {
    if case .live(let other)? = entries[session.id], other === session { entries[session.id] = nil }
  }

  /// Looks for a session.
  ///
  /// - Returns: the session; nil if the waiter will be called.
  func find(_ id: String, _ tokenHash: String?, _ waiter: @escaping Waiter) -> ModelSession? {
    switch entries[id] {
    case .live(let session)?: return session
    case .loading(let seekers)?: entries[id] = .loading(seekers + [(tokenHash, waiter)])
    case nil:
      entries[id] = .loading([(tokenHash, waiter)])
      load(id, tokenHash)
    }
    return nil
  }

  private func load(_ id: String, _ tokenHash: String?) {
    submit(Job(request: .load(sessionID: id, tokenHash: tokenHash)) { [self] in try didLoad(id, $0) })
  }

  private func didLoad(_ id: String, _ result: Result<StoreResult, StoreError>) throws {
    switch result {
    case .success(.loaded(let stored)):
      let session = ModelSession(stored, on: self)
      try session.restore(stored)
      try finish(id, session)
    case .success(.denied(let state)): try deny(id, by: state)
    case .failure: try finish(id, nil, .unavailable)
    case .success: try finish(id, nil, .gone)
    }
  }

  private func finish(_ id: String, _ session: ModelSession?, _ bye: Bye = .gone) throws {
    guard case .loading(let seekers)? = entries[id] else { return }
    entries[id] = session.map { .live($0) }
    for seeker in seekers { try seeker.waiter(session, bye, "") }
    guard session != nil, rules.contains(.wakeTogether) else { return }
    for sleeper in sleepers.removeValue(forKey: id) ?? [] { try sleeper.wakeUp() }
  }

  private func deny(_ id: String, by state: SessionState) throws {
    guard case .loading(let seekers)? = entries[id] else { return }
    let admitted = seekers.filter { state.admits($0.tokenHash) }
    entries[id] = admitted.isEmpty ? nil : .loading(admitted)
    for seeker in seekers where !state.admits(seeker.tokenHash) { try seeker.waiter(nil, .denied, "") }
    if case .loading? = entries[id] { load(id, nil) }
  }

  func add(_ sleeper: Sleeper, _ connection: ModelConnection) {
    sleepers[sleeper.sessionID, default: []].append(connection)
  }

  func remove(_ sleeper: Sleeper, _ connection: ModelConnection) {
    sleepers[sleeper.sessionID]?.removeAll { $0 === connection }
  }

  // MARK: Commits

  func willCommit(_ session: ModelSession) { committing.append(session) }

  func goOnLater(_ connection: ModelConnection) {
    if !yielding.contains(where: { $0 === connection }) { yielding.append(connection) }
  }

  /// The end of a batch of events: `EventLoop.commit()`.
  func endEvents() throws {
    while !yielding.isEmpty { try yielding.removeFirst().goOn() }
    let sessions = committing
    committing = []
    for session in sessions { if let job = try session.takeCut() { submit(job) } }
  }

  func submit(_ job: Job) { jobs.append(job) }

  /// Does what was asked for, in one commit that is not synced: the first half of `StoreWriter.run()`.
  func write() throws {
    guard unreported.isEmpty, !jobs.isEmpty else { return }
    let taken = jobs
    jobs = []
    do {
      let results = try store.perform(taken.map(\.request))
      if isStoreFailing { try recover() }
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
    for (job, result) in answers { try job.completion(result) }
    try endEvents()
  }

  /// Tries a store that has failed again: `StoreWriter.tryAgain(after:)`.
  func probe() throws {
    // Who has asked in vain is told so before.
    guard isStoreFailing, !store.isDown, unreported.isEmpty else { return }
    try recover()
    try endEvents()
  }

  private func recover() throws {
    isStoreFailing = false
    for session in sessions { session.storeIsBack() }
  }

  /// Ends without another word.
  func die() {
    for session in sessions { session.forget() }
    for session in committing { session.forget() }
    entries = [:]
    sleepers = [:]
    committing = []
    yielding = []
    jobs = []
    unreported = []
  }
}
