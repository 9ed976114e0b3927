import Logging
import Synchronization

/// Tells apps of their sessions that have ended: each app by a reporter of its own, so that one that hangs keeps no
/// other one waiting.
final class EndReporters: Sendable {
  /// By the names of their apps; apps that do not want to know have none.
  private let reporters: [String: EndReporter]  // safe text: own
  private let environment: Environment
  /// Looks at the reporters once a second; nil while there is nothing to tell.
  private let watch = Mutex<Ticker<Void>?>(nil)

  /// Whether an app wants to know.
  var isWanted: Bool { !reporters.isEmpty }

  /// Reporters with nothing to tell.
  ///
  /// - Parameters:
  ///   - apps: which ones there are.
  ///   - limit: how many sessions of an app may wait until it is told of them.
  ///   - environment: where their closures run.
  ///   - logger: is told of apps that are slow, and of what no app was told of.
  init(_ apps: [App], limit: Int = EndReporter.limit, _ environment: Environment, _ logger: Logger) {
    self.environment = environment
    var reporters: [String: EndReporter] = [:]  // safe text: own
    for app in apps {
      guard let tell = app.end else { continue }
      reporters[app.name] = EndReporter(of: app.name, tell, limit: limit, environment, logger)
    }
    self.reporters = reporters
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
    guard let reporter = reporters[app], reporter.report(EndedSession(id: id, reason: reason)) else { return }
    watch.withLock { watch in
      if watch == nil { watch = Ticker("ribserver.ends", environment, ()) { [weak self] _ in self?.look() ?? false } }
    }
  }

  /// Looks at all reporters; the last look is the one that finds nothing that is being told.
  private func look() -> Bool {
    // Of each: one that was looked at is closer to its warning.
    let busy = reporters.values.filter { $0.look() }
    guard busy.isEmpty else { return true }
    return watch.withLock { watch in
      // A report that has come meanwhile has found this ticker.
      if reporters.values.contains(where: \.isTelling) { return true }
      watch = nil
      return false
    }
  }

  /// Waits until all is told that was reported before.
  ///
  /// - Parameter seconds: how long at most.
  func finish(within seconds: Int) async {
    let ticker = Ticker("ribserver.ends.finish", environment, seconds) { [weak self] left in
      left -= 1
      guard left <= 0 else { return true }
      for reporter in self?.reporters.values.map(\.self) ?? [] { reporter.giveUp() }
      return false
    }
    // All go on at once: the last one to be waited for may have been done first.
    for reporter in reporters.values { await reporter.finish() }
    ticker.cancel()
  }
}
