import RibServer

/// A queue of a simulated process.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedQueue: Lane, JobQueue, @unchecked Sendable {
  let name: String
  private var jobs: [(@Sendable () -> Void)?] = []
  /// Those before it are done, and nil: what a job holds may add another one as it ends.
  private var nextJob = 0
  private var poller: SimulatedPoller?
  /// Whether a job runs; it may wait in it for the disk or for a semaphore while others go on.
  private(set) var isRunning = false
  /// Whether its thread does something that takes time.
  private var isBusy = false

  init(_ name: String, of process: SimulatedProcess) {
    self.name = name
    super.init(process)
    process.count(name, by: 1)
  }

  deinit { process.count(name, by: -1) }

  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.append(job)
    goOn()
  }

  func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void) {
    let scheduler = process.scheduler
    scheduler.at(scheduler.now &+ min(nanoseconds, 1 << 60), of: process) { [self] in add(job) }
  }

  func run(_ body: () -> Void) {
    while let job = takeJob() { enter(job) }
    enter(body)
    goOn()
  }

  func preconditionCurrent() { precondition(isRunning, "not in a job of \(name)") }

  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller {
    let poller = SimulatedPoller(setup, on: self)
    self.poller = poller
    return poller
  }

  /// Has its turn, if it has something to do.
  func goOn() {
    guard !isRunning, !isBusy, nextJob < jobs.count || poller?.mayBeReady == true else { return }
    process.scheduler.makeReady(self)
  }

  override func takeTurn() {
    guard !isRunning else { return }
    let hasEvents = poller?.mayBeReady == true
    if hasEvents, nextJob == jobs.count || process.scheduler.random.oneIn(2) {
      enter { poller?.handleEvents() }
    } else if let job = takeJob() {
      enter(job)
    }
    rest()
    goOn()
  }

  /// Now and then what has run takes time.
  private func rest() {
    let scheduler = process.scheduler
    guard scheduler.random.oneIn(6) else { return }
    isBusy = true
    scheduler.at(scheduler.now + scheduler.random.magnitude(bits: 22), of: process) { [self] in
      isBusy = false
      goOn()
    }
  }

  private func takeJob() -> (@Sendable () -> Void)? {
    guard nextJob < jobs.count else { return nil }
    let job = jobs[nextJob]
    jobs[nextJob] = nil
    nextJob += 1
    if nextJob == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      nextJob = 0
    }
    return job
  }

  private func enter(_ body: () -> Void) {
    precondition(!isRunning, "a job of \(name) waits for its own queue")
    isRunning = true
    body()
    isRunning = false
    process.world.lookAtLinks(of: process)
  }
}
