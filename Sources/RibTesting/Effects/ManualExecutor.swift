import Synchronization

/// An executor that runs what is enqueued when the test says so, on the test's own thread.
///
/// Tasks that prefer it run nowhere else, and neither do the actors that they call, but for actors with an executor of their
/// own. What waits for the outside — a real sleep, a socket — comes back to it when that is over.
public final class ManualExecutor: TaskExecutor {
  private struct Jobs {
    var waiting: [UnownedJob] = []
    /// Who waits for something to come.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Whether something came that nobody has waited for yet.
    var hasNews = false
    /// Whether jobs go elsewhere.
    var isOver = false
  }

  private let jobs = Mutex(Jobs())

  /// An executor without jobs.
  public init() {}

  /// Keeps a job until it is to be run; called by the concurrency runtime.
  ///
  /// - Parameter job: the job.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isOver = jobs.withLock { jobs in
      if !jobs.isOver { jobs.waiting.append(job) }
      return jobs.isOver
    }
    if isOver { globalConcurrentExecutor.enqueue(ExecutorJob(job)) } else { wake() }
  }

  /// Hands all jobs, those that are here and those to come, to the threads that run tasks otherwise.
  func retire() {
    let waiting = jobs.withLock { jobs in
      defer { jobs.waiting = [] }
      jobs.isOver = true
      return jobs.waiting
    }
    for job in waiting { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Wakes whoever waits, or comes to wait next.
  func wake() {
    let waiters = jobs.withLock { jobs in
      defer { jobs.waiters = [] }
      jobs.hasNews = jobs.waiters.isEmpty
      return jobs.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Runs jobs, and those that follow from them, in order, until there is none.
  public func runUntilIdle() { _ = run(atMost: .max) }

  /// Runs jobs, and those that follow from them, in order, until there is none or, about, so many were run.
  ///
  /// - Returns: how many.
  func run(atMost limit: Int) -> Int {
    var count = 0
    while count < limit {
      let batch = jobs.withLock { jobs in
        let batch = jobs.waiting
        jobs.waiting = []
        return batch
      }
      if batch.isEmpty { break }
      count += batch.count
      for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
    return count
  }

  /// Waits until there is a job, or ``wake()`` is called, or the caller is cancelled.
  func waitForNews() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isNow = jobs.withLock { jobs in
          if jobs.hasNews || !jobs.waiting.isEmpty || Task.isCancelled {
            jobs.hasNews = false
            return true
          }
          jobs.waiters.append(continuation)
          return false
        }
        if isNow { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }
}
