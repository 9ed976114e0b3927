import RibServer

/// The pool that the effects of a simulated process run in: any of its jobs may be the next.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedPool: Lane, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.append(UnownedJob(job))
    process.scheduler.makeReady(self)
  }

  override func takeTurn() {
    guard !jobs.isEmpty else { return }
    let job = jobs.remove(at: jobs.count == 1 ? 0 : process.scheduler.random.below(jobs.count))
    job.runSynchronously(on: asUnownedTaskExecutor())
    if !jobs.isEmpty { process.scheduler.makeReady(self) }
  }
}

/// The clock of a simulated process's effects.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedClock: Clock, @unchecked Sendable {
  /// A time on the clock.
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private unowned let process: SimulatedProcess
  private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var cancelled: Set<Int> = []
  private var lastSleeper = 0

  init(_ process: SimulatedProcess) { self.process = process }

  var now: Instant { Instant(offset: .nanoseconds(Int64(process.scheduler.now))) }
  var minimumResolution: Duration { .nanoseconds(1) }
  /// How many sleep.
  var sleeperCount: Int { sleepers.count }

  func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    lastSleeper += 1
    let number = lastSleeper
    let (seconds, attoseconds) = max(deadline.offset, .zero).components
    let due = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    defer { cancelled.remove(number) }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        guard !cancelled.contains(number) else { return continuation.resume(throwing: CancellationError()) }
        sleepers[number] = continuation
        process.scheduler.at(due, of: process) { [self] in sleepers.removeValue(forKey: number)?.resume() }
      }
    } onCancel: {
      guard let sleeper = sleepers.removeValue(forKey: number) else {
        cancelled.insert(number)
        return
      }
      sleeper.resume(throwing: CancellationError())
    }
  }
}

/// A semaphore of a simulated process: what waits for it lets the rest of the world go on.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedSemaphore: Semaphore, @unchecked Sendable {
  private unowned let process: SimulatedProcess
  private let bootTime: UInt64
  private var count = 0

  /// A semaphore that nobody has signalled.
  ///
  /// - Parameters:
  ///   - process: whose it is.
  ///   - bootTime: when the machine was started.
  init(_ process: SimulatedProcess, bootTime: UInt64) {
    self.process = process
    self.bootTime = bootTime
  }

  func signal() { count += 1 }
  func wait() { _ = wait(until: .max) }

  func wait(until end: UInt64) -> Bool {
    process.pause(until: end > .max - bootTime ? .max : end + bootTime) { [self] in count > 0 }
    guard count > 0 else { return false }
    count -= 1
    return true
  }
}
