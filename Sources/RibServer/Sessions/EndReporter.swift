import Logging
import Synchronization

/// Tells apps of their sessions that have ended: one session after the other, on the pool of tasks, and never on a
/// loop.
///
/// | state     | ``report(_:ofApp:_:)`` | the app has been told    | ``finish(within:)``       | time is up |
/// |-----------|------------------------|--------------------------|---------------------------|------------|
/// | `idle`    | `telling`              |                          | returns                   |            |
/// | `telling` | `telling`, of one more | the next one, or `idle`  | returns with the last one | `over`     |
/// | `over`    |                        |                          | returns                   |            |
final class EndReporter: Sendable {
  private enum State {
    /// All is told.
    case idle
    /// A task tells apps of sessions.
    case telling(Telling)
    /// The server has stopped, and does not wait for the app any longer: no more is told.
    case over
  }

  private struct Telling {
    /// The sessions that the task has not taken yet.
    var reports: [Report]
    /// Those who wait until all is told.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private struct Report {
    let session: EndedSession
    let tell: @Sendable (EndedSession) async -> Void
  }

  private let apps: [String: App]
  private let environment: Environment
  private let logger: Logger
  private let state = Mutex(State.idle)

  /// Whether an app wants to know.
  let isWanted: Bool

  /// A reporter with nothing to tell.
  ///
  /// - Parameters:
  ///   - apps: which ones there are, by their names.
  ///   - environment: where their closures run.
  ///   - logger: is told of what no app was told of.
  init(_ apps: [String: App], _ environment: Environment, _ logger: Logger) {
    self.apps = apps
    self.environment = environment
    self.logger = logger
    isWanted = apps.values.contains { $0.end != nil }
  }

  /// Takes note that the store has deleted a session.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - app: the name of its app; one that the server does not have any more is not told.
  ///   - reason: why it has ended.
  func report(_ id: String, ofApp app: String, _ reason: EndedSession.Reason) {
    guard let tell = apps[app]?.end else { return }
    let report = Report(session: EndedSession(id: id, reason: reason), tell: tell)
    let isFirst = state.withLock { state in
      switch state {
      case .idle:
        state = .telling(Telling(reports: [report]))
        return true
      case .telling(var telling):
        // So that there is one owner while it grows.
        state = .idle
        telling.reports.append(report)
        state = .telling(telling)
        return false
      case .over: return false
      }
    }
    guard isFirst else { return }
    _ = Task.detached(executorPreference: environment.taskExecutor) { [self] in
      while let reports = takeReports() {
        for report in reports where !isOver { await report.tell(report.session) }
      }
    }
  }

  private var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// What the task is to tell next; nil if that is all.
  private func takeReports() -> [Report]? {
    let (reports, waiters) = state.withLock { state -> ([Report]?, [CheckedContinuation<Void, Never>]) in
      guard case .telling(var telling) = state else { return (nil, []) }
      guard !telling.reports.isEmpty else {
        state = .idle
        return (nil, telling.waiters)
      }
      let reports = telling.reports
      telling.reports = []
      state = .telling(telling)
      return (reports, [])
    }
    for waiter in waiters { waiter.resume() }
    return reports
  }

  /// Waits until all is told that was reported before.
  ///
  /// - Parameter seconds: how long at most.
  func finish(within seconds: Int) async {
    let ticker = Ticker("ribserver.ends", environment, seconds) { [weak self] left in
      left -= 1
      guard left <= 0 else { return true }
      self?.giveUp()
      return false
    }
    await withCheckedContinuation { waiter in
      let mustWait = state.withLock { state in
        guard case .telling(var telling) = state else { return false }
        telling.waiters.append(waiter)
        state = .telling(telling)
        return true
      }
      if !mustWait { waiter.resume() }
    }
    ticker.cancel()
  }

  private func giveUp() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard case .telling(let telling) = state else { return [] }
      state = .over
      return telling.waiters
    }
    guard !waiters.isEmpty else { return }
    logger.error("An app takes too long to take note of a session's end. It is not told of those that are left.")
    for waiter in waiters { waiter.resume() }
  }
}
