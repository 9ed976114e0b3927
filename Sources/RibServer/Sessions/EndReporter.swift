import Logging
import Synchronization

/// Tells one app of its sessions that have ended: one session after the other, on the pool of tasks, and never on a
/// loop.
///
/// | state     | ``report(_:)``        | the app has been told   | ``finish()``              | ``giveUp()`` |
/// |-----------|-----------------------|-------------------------|---------------------------|--------------|
/// | `idle`    | `telling`             |                         | returns                   |              |
/// | `telling` | waits, or is left out | the next one, or `idle` | returns with the last one | `over`       |
/// | `over`    | is left out           |                         | returns                   |              |
final class EndReporter: Sendable {
  /// How many sessions may wait: the names of those are a megabyte or two.
  static let limit = 10_000
  /// Seconds that the app may take for a session before the log has a warning.
  static let slowSeconds = 10

  private enum State {
    /// All is told.
    case idle
    /// A task tells the app of sessions.
    case telling(Telling)
    /// The server has stopped, and does not wait for the app any longer: no more is told.
    case over
  }

  private struct Telling {
    /// The session that the app is being told of; nil before the first.
    var present: EndedSession?
    /// For how many looks it has been.
    var seconds = 0
    /// The sessions that come after that one, in order.
    var waiting: ArraySlice<EndedSession>
    /// How many sessions were left out since the last warning, as too many waited.
    var leftOut = 0
    /// Those who wait until all is told.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let app: String
  private let tell: @Sendable (EndedSession) async -> Void
  private let limit: Int
  private let environment: Environment
  private let logger: Logger
  private let state = Mutex(State.idle)

  /// A reporter with nothing to tell.
  ///
  /// - Parameters:
  ///   - app: the app's name.
  ///   - tell: the app's closure.
  ///   - limit: how many sessions may wait.
  ///   - environment: where the closure runs.
  ///   - logger: is told of an app that is slow, and of each session that the app is not told of.
  init(
    of app: String, _ tell: @escaping @Sendable (EndedSession) async -> Void, limit: Int = EndReporter.limit,
    _ environment: Environment, _ logger: Logger
  ) {
    self.app = app
    self.tell = tell
    self.limit = limit
    self.environment = environment
    self.logger = logger
  }

  /// Takes note that the store has deleted a session of the app; the app is not told of one that comes while too many
  /// wait.
  ///
  /// Thread-safe.
  ///
  /// - Parameter session: the session.
  /// - Returns: whether it is the first one: from now on ``look()`` is to be called once a second.
  func report(_ session: EndedSession) -> Bool {
    let isFirst = state.withLock { state in
      switch state {
      case .idle:
        state = .telling(Telling(waiting: [session]))
        return true
      case .telling(var telling):
        // So that there is one owner while it grows.
        state = .idle
        if telling.waiting.count < limit { telling.waiting.append(session) } else { telling.leftOut += 1 }
        state = .telling(telling)
        return false
      case .over: return false
      }
    }
    guard isFirst else { return false }
    _ = Task.detached(executorPreference: environment.taskExecutor) { [self] in
      while let session = takeNext() { await tell(session) }
    }
    return true
  }

  /// The session that the task is to tell of next; nil if that is all.
  private func takeNext() -> EndedSession? {
    let (next, ended) = state.withLock { state -> (EndedSession?, Telling?) in
      guard case .telling(var telling) = state else { return (nil, nil) }
      state = .idle
      guard let next = telling.waiting.popFirst() else { return (nil, telling) }
      (telling.present, telling.seconds) = (next, 0)
      state = .telling(telling)
      return (next, nil)
    }
    if let ended {
      warn(ofLeftOut: ended.leftOut)
      for waiter in ended.waiters { waiter.resume() }
    }
    return next
  }

  /// Looks once a second how the app keeps up.
  ///
  /// - Returns: whether it is being told of something, and is to be looked at again.
  func look() -> Bool {
    let seen = state.withLock { state -> Telling? in
      guard case .telling(var telling) = state else { return nil }
      state = .idle
      telling.seconds += 1
      let seen = telling
      telling.leftOut = 0
      state = .telling(telling)
      return seen
    }
    guard let seen else { return false }
    warn(ofLeftOut: seen.leftOut)
    if seen.seconds == Self.slowSeconds {
      logger.warning(
        "An app takes long to take note of a session's end.",
        metadata: [
          "app": "\(app)", "session": "\(seen.present?.id ?? "none")", "seconds": "\(seen.seconds)",
          "waiting": "\(seen.waiting.count)",
        ])
    }
    return true
  }

  /// Whether the app is being told of something.
  var isTelling: Bool { state.withLock { if case .telling = $0 { true } else { false } } }

  /// Waits until all is told that was reported before, or ``giveUp()`` is called.
  func finish() async {
    await withCheckedContinuation { waiter in
      let mustWait = state.withLock { state in
        guard case .telling(var telling) = state else { return false }
        state = .idle
        telling.waiters.append(waiter)
        state = .telling(telling)
        return true
      }
      if !mustWait { waiter.resume() }
    }
  }

  /// Tells the app of no more than the session that it is being told of; the others are counted in the log.
  func giveUp() {
    let left = state.withLock { state -> Telling? in
      guard case .telling(let telling) = state else { return nil }
      state = .over
      return telling
    }
    guard let left else { return }
    warn(ofLeftOut: left.leftOut)
    logger.error(
      "An app takes too long to take note of a session's end. It is not told of those that wait.",
      metadata: ["app": "\(app)", "session": "\(left.present?.id ?? "none")", "waiting": "\(left.waiting.count)"])
    for waiter in left.waiters { waiter.resume() }
  }

  private func warn(ofLeftOut count: Int) {
    guard count > 0 else { return }
    logger.warning(
      "An app was not told of sessions that have ended: too many wait already.",
      metadata: ["app": "\(app)", "sessions": "\(count)", "limit": "\(limit)"])
  }
}
