import Logging
import Metrics
import Synchronization

/// Has the store forget sessions whose clients have stayed away for too long.
///
/// A few sessions are forgotten in one commit, and of a large one a part, so that no session's commit waits for long. One that
/// cannot be forgotten, as the file is damaged there, is left where it is, and the others are forgotten nevertheless.
///
/// What follows from one look are three ``SweepChain``s: of requests to forget, to give back space, and to note the time. A
/// store that takes longer than the pause between two looks is not asked a second time before it has answered.
struct SessionSweeper: Sendable {
  /// What it goes by; tests have times of their own.
  struct Pace: Sendable {
    /// How often it looks.
    var interval = Duration.seconds(10)
    /// For how long after the start, or after the server was held up, nothing is forgotten, unless sessions last shorter than that: clients that could not
    /// come while no server was there are on their way.
    var grace = Duration.seconds(600)
    /// How many sessions are forgotten in one commit.
    var sessions = 32
    /// How many rows of one session are forgotten in one commit.
    var rows = 200
  }

  private let store: StoreWriter
  private let loop: EventLoop
  private let sessions: SessionRegistry<Session>
  private let logger: Logger
  private let metrics: ServerMetrics
  private let ends: EndReporters
  private let context: ServerContext
  private let pace: Pace
  private let progress: SharedProgress

  /// How far it is.
  private struct Progress {
    /// Sessions that cannot be forgotten, as the store numbers them.
    var damaged: Set<Int64> = []
    /// Since when clients can come, as the loop's time: since the start, or since the server was held up.
    var graceStart: UInt64
    var forgetting = SweepChain()
    var tidying = SweepChain()
    var probing = SweepChain()
  }

  /// What all copies of a sweeper share.
  private final class SharedProgress: Sendable {
    let value: Mutex<Progress>

    init(graceStart: UInt64) { value = Mutex(Progress(graceStart: graceStart)) }
  }

  /// A sweeper.
  ///
  /// - Parameters:
  ///   - store: where from.
  ///   - loop: whose timer it uses.
  ///   - context: the sessions in memory, how long sessions last, and what is told.
  ///   - pace: how often, and how much at a time.
  init(_ store: StoreWriter, on loop: EventLoop, _ context: ServerContext, pace: Pace = Pace()) {
    self.store = store
    self.loop = loop
    self.context = context
    self.pace = pace
    sessions = context.sessions
    logger = context.logger
    metrics = context.metrics
    ends = context.ends
    progress = SharedProgress(graceStart: loop.time())
  }

  /// Looks now, and again and again.
  func begin() { loop.execute { sweep() } }

  private func sweep() {
    guard !loop.isStopping else { return }
    if sessions.takeLeftCount() > 0 { releaseFreeMemory() }
    // What is to be forgotten depends on whether the server was held up.
    if begin(\.probing) { probe() }
    if begin(\.tidying) { tidy() }
    context.signOuts?.poll()
    loop.execute(after: pace.interval) { sweep() }
  }

  private func begin(_ chain: WritableKeyPath<Progress, SweepChain>) -> Bool {
    progress.value.withLock { $0[keyPath: chain].begin() }
  }

  private func end(_ chain: WritableKeyPath<Progress, SweepChain>) {
    progress.value.withLock { $0[keyPath: chain].end() }
  }

  private func probe() {
    submit(.probe) { result in
      end(\.probing)
      guard case .success(let answer) = result else { return }
      if case .notCounted(let change) = answer { note(change) }
      if begin(\.forgetting) { findExpired() }
    }
  }

  private func note(_ change: StoreTime.Change) {
    switch change {
    case .jump(let seconds):
      // As if the machine had slept: then no client could come.
      if seconds > 0 { progress.value.withLock { $0.graceStart = loop.time() } }
      logger.warning(
        "The system's clock has jumped. No session is forgotten for it.", metadata: ["seconds": "\(seconds)"])
    case .pause(let seconds):
      progress.value.withLock { $0.graceStart = loop.time() }
      logger.warning(
        "The server was held up. No session is forgotten for it.", metadata: ["seconds": "\(seconds)"])
    }
  }

  // MARK: Forgetting

  private func findExpired() {
    guard !loop.isStopping else { return end(\.forgetting) }
    // Damaged ones are found each time.
    let damagedCount = progress.value.withLock { $0.damaged.count }
    submit(.findExpired(expiry(limit: pace.sessions + damagedCount))) { result in
      switch result {
      case .success(.expired(let found)):
        let rows = progress.value.withLock { progress in found.filter { !progress.damaged.contains($0) } }
        return forget(Array(rows.prefix(pace.sessions)))
      case .success(.refused(let error)):
        logger.error("Old sessions cannot be looked for.", metadata: ["reason": "\(error)"])
      case .success, .failure: break
      }
      end(\.forgetting)
    }
  }

  private func forget(_ rows: [Int64]) {
    guard let last = rows.last else { return end(\.forgetting) }
    let expiry = expiry(limit: pace.rows)
    store.submit(
      rows.map { row in
        StoreJob(.forget(row: row, expiry), on: loop) { result in
          didForget(row, result)
          guard row == last else { return }
          // There may be more.
          if case .success = result { findExpired() } else { end(\.forgetting) }
        }
      })
  }

  private func didForget(_ row: Int64, _ result: Result<StoreResult, StoreError>) {
    switch result {
    case .success(.forgotten(let session?)):
      metrics.forgottenSessions.increment()
      loop.work.stats.note(.endedByAbsence, ofApp: context.number(ofApp: session.app))
      ends.report(session.id, ofApp: session.app, .expired)
    case .success(.refused(let error)):
      progress.value.withLock { _ = $0.damaged.insert(row) }
      metrics.damagedSessions.increment()
      logger.error(
        "An old session cannot be forgotten, and stays.", metadata: ["row": "\(row)", "reason": "\(error)"])
    case .success, .failure: break
    }
  }

  private func expiry(limit: Int) -> SessionExpiry {
    let settings = loop.work.rules.settings.sessions
    let acted = Duration.seconds(settings.timeToLiveSeconds)
    let untouched = Duration.seconds(min(settings.untouchedSeconds, settings.timeToLiveSeconds))
    return SessionExpiry(acted: inGrace(acted), untouched: inGrace(untouched), limit: limit)
  }

  /// How long a session has to be alone to be forgotten now.
  private func inGrace(_ lifetime: Duration) -> Duration {
    let elapsed = Duration.nanoseconds(Int64(loop.time() - progress.value.withLock { $0.graceStart }))
    // As if it had lasted until now.
    return elapsed < min(lifetime, pace.grace) ? .seconds(Int64(Int32.max)) : lifetime
  }

  // MARK: Space

  private func tidy() {
    submit(.tidy) { result in
      if case .success(.tidied(isDone: false)) = result, !loop.isStopping { tidy() } else { end(\.tidying) }
    }
  }

  private func submit(
    _ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void = { _ in }
  ) {
    store.submit([StoreJob(request, on: loop, completion)])
  }
}

/// Requests of the sweeper that follow one another, each once the store has answered the one before.
///
/// | state     | ``begin()`` | ``end()`` |
/// |-----------|-------------|-----------|
/// | `idle`    | `running`   |           |
/// | `running` |             | `idle`    |
struct SweepChain {
  private enum State {
    /// The store has answered all of it.
    case idle
    /// The store has not answered the last request.
    case running
  }

  private var state = State.idle

  /// Is to make its first request.
  ///
  /// - Returns: false if the store is still busy with the chain.
  mutating func begin() -> Bool {
    guard case .idle = state else { return false }
    state = .running
    return true
  }

  /// Makes no further request.
  mutating func end() { state = .idle }
}
