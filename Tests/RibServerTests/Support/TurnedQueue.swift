import Synchronization

@testable import RibServer

/// A queue whose jobs are done when a test says so, by the test's thread.
final class TurnedQueue: JobQueue {
  private struct State {
    var now: UInt64 = 0
    var jobs: [(due: UInt64, job: @Sendable () -> Void)] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// How many jobs wait.
  var count: Int { state.withLock { $0.jobs.count } }

  func add(_ job: @escaping @Sendable () -> Void) { add(after: 0, job) }

  func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append((due: $0.now + nanoseconds, job: job)) }
  }

  func run(_ body: () -> Void) {
    advance(0)
    turn { body() }
  }

  func preconditionCurrent() { precondition(state.withLock { $0.isRunning }, "not in a job of the queue") }

  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller {
    throw SystemError(operation: "watch descriptors by hand", code: 0)
  }

  /// Lets time pass: does the jobs that come due, each at its time and in the order in which they were added.
  func advance(_ seconds: Int) {
    let end = state.withLock { $0.now } + UInt64(seconds) * 1_000_000_000
    while let job = takeNext(until: end) { turn(job) }
    state.withLock { $0.now = end }
  }

  private func takeNext(until end: UInt64) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let first = state.jobs.indices.min(by: { state.jobs[$0].due < state.jobs[$1].due }),
        state.jobs[first].due <= end
      else { return nil }
      state.now = max(state.now, state.jobs[first].due)
      return state.jobs.remove(at: first).job
    }
  }

  private func turn(_ body: () -> Void) {
    state.withLock { $0.isRunning = true }
    defer { state.withLock { $0.isRunning = false } }
    body()
  }
}

extension Environment {
  /// The system's, but that queues do nothing until a test says so.
  static func turned(by queue: TurnedQueue) -> Environment {
    var environment = Environment.system
    environment.makeQueue = { _, _ in queue }
    return environment
  }
}
