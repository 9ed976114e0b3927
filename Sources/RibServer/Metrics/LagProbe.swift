import Synchronization

/// Measures how long a job waits for each loop, ten times a second: the one figure that says whether a loop is saturated.
///
/// A loop that has not run the last job yet is not given another one: what the job has waited for is counted whole.
final class LagProbe: Sendable {
  /// Nanoseconds between two jobs.
  private static let interval: UInt64 = 100_000_000

  private let ticker: Ticker<Void>

  /// A probe that measures from now on.
  ///
  /// - Parameters:
  ///   - loops: the loops.
  ///   - environment: the clock, and what makes its queue.
  init(_ loops: [EventLoop], _ environment: Environment) {
    let waits = loops.map { _ in Wait() }
    ticker = Ticker("ribserver.lag", environment, every: Self.interval, ()) { _ in
      for (loop, wait) in zip(loops, waits) where !wait.isWaiting.exchange(true, ordering: .relaxed) {
        let start = environment.time.monotonic()
        loop.execute {
          loop.work.stats.lag.add(loop.now - min(start, loop.now))
          wait.isWaiting.store(false, ordering: .relaxed)
        }
      }
      return true
    }
  }

  /// Measures no more.
  func stop() { ticker.cancel() }

  private final class Wait: Sendable {
    /// Whether the loop has a job that it has not run.
    let isWaiting = Atomic(false)
  }
}
