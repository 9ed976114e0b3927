import Dispatch
import Logging
import Metrics
import Synchronization
import Wire

/// The one thread that a store is used on: it takes what all loops have asked for meanwhile, and has it done in one commit.
///
/// The first request that comes while nothing is under way is served at once; those that come while the disk works are
/// served together. When the store fails, everyone who asked is told so, and it is tried again until it works.
final class StoreWriter: Sendable {
  private struct State {
    var jobs: [StoreJob] = []
    var isRunning = false
    var isFailing = false
    var isClosed = false
    /// The pause before a store that fails is tried again, in milliseconds.
    var pause = StoreWriter.pauses.lowerBound
    /// What is to be told to the store once it works again, as nobody else would: that sessions have ended, or have nobody.
    var notices: [StoreJob] = []
    var onIdle: [@Sendable () -> Void] = []
  }

  let store: any SessionStore
  private let logger: Logger
  private let metrics: ServerMetrics
  private let queue = DispatchQueue(label: "ribserver.store")
  private let state = Mutex(State())
  /// Told on the writer's thread when the store works again.
  private let onRecovery: @Sendable () -> Void

  /// The first pause before a store that has failed is tried again, in milliseconds, and the longest.
  private static let pauses = 50...2_000

  /// A writer.
  ///
  /// - Parameters:
  ///   - store: what it writes to.
  ///   - logger: told when the store fails and when it works again.
  ///   - metrics: what is counted.
  ///   - onRecovery: called when it works again.
  init(
    _ store: any SessionStore, _ logger: Logger, _ metrics: ServerMetrics = ServerMetrics(),
    onRecovery: @escaping @Sendable () -> Void
  ) {
    self.store = store
    self.logger = logger
    self.metrics = metrics
    self.onRecovery = onRecovery
  }

  /// Whether the last commit has failed.
  var isFailing: Bool { state.withLock { $0.isFailing } }

  /// Asks for something.
  ///
  /// Thread-safe.
  ///
  /// - Parameter jobs: what.
  func submit(_ jobs: [StoreJob]) {
    let mustStart = state.withLock { state in
      state.jobs += jobs
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { queue.async { self.run() } }
  }

  /// Closes the store once all that was asked for is done.
  func close() async {
    await withCheckedContinuation { done in
      let isIdle = state.withLock { state in
        if state.isRunning { state.onIdle.append { done.resume() } }
        return !state.isRunning
      }
      if isIdle { done.resume() }
    }
    state.withLock { $0.isClosed = true }
    queue.sync { store.close() }
  }

  private func run() {
    while let jobs = take() {
      let start = DispatchTime.now().uptimeNanoseconds
      do throws(StoreError) {
        let results = try store.perform(jobs.map(\.request))
        metrics.commits.increment()
        metrics.commitTime.recordNanoseconds(DispatchTime.now().uptimeNanoseconds - start)
        metrics.commitSize.record(jobs.count)
        state.withLock { $0.pause = Self.pauses.lowerBound }
        if state.withLock({ $0.isFailing }) { recover() }
        for (job, result) in zip(jobs, results) { job.result = .success(result) }
        answer(jobs)
      } catch {
        noteFailure(error, jobs)
        for job in jobs { job.result = .failure(error) }
        answer(jobs)
      }
    }
  }

  private func take() -> [StoreJob]? {
    let (jobs, idle) = state.withLock { state -> ([StoreJob]?, [@Sendable () -> Void]) in
      guard state.jobs.isEmpty else {
        defer { state.jobs.removeAll(keepingCapacity: true) }
        return (state.jobs, [])
      }
      state.isRunning = false
      defer { state.onIdle = [] }
      return (nil, state.onIdle)
    }
    for done in idle { done() }
    return jobs
  }

  /// One job of the loop serves all that have asked from there.
  private func answer(_ jobs: [StoreJob]) {
    var rest = jobs
    while let loop = rest.first?.loop {
      let mine = rest.filter { $0.loop === loop }
      rest.removeAll { $0.loop === loop }
      loop.execute { for job in mine { job.complete() } }
    }
  }

  // MARK: Failure

  private func noteFailure(_ error: StoreError, _ jobs: [StoreJob]) {
    let isNew = state.withLock { state in
      defer { state.isFailing = true }
      for job in jobs {
        switch job.request {
        case .remove, .noteAbsence: state.notices.append(StoreJob(job.request, on: job.loop))
        case .create, .write, .load, .expire, .probe: break
        }
      }
      return !state.isFailing
    }
    metrics.failedCommits.increment()
    metrics.storeIsFailing.record(1)
    guard isNew else { return }
    logger.error(
      "The session store fails. Sessions go on in memory until it is back.", metadata: ["reason": "\(error)"])
    tryAgain()
  }

  private func tryAgain() {
    // Longer each time, until something else than this try has worked: a store may take this and nothing more.
    let pause = state.withLock { state in
      defer { state.pause = min(2 * state.pause, Self.pauses.upperBound) }
      return state.pause
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [self] in
      // Meanwhile something may have been written.
      guard state.withLock({ $0.isFailing && !$0.isClosed }) else { return }
      do throws(StoreError) {
        _ = try store.perform([.probe(now: wallClockSeconds())])
        recover()
      } catch {
        tryAgain()
      }
    }
  }

  private func recover() {
    let notices = state.withLock { state in
      defer { state.notices = [] }
      state.isFailing = false
      return state.notices
    }
    metrics.storeIsFailing.record(0)
    logger.notice("The session store works again.")
    if !notices.isEmpty { submit(notices) }
    onRecovery()
  }
}
