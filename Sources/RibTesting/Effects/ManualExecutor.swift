import Synchronization

/// An executor that runs its jobs when the test says so, on the test's own thread.
///
/// Tasks that prefer it run nowhere else; neither do the actors that they call, unless an actor has an executor of its
/// own. A task that waits for something outside, such as a real sleep or a socket, comes back to this executor when
/// that is over.
public final class ManualExecutor: TaskExecutor {
  private struct Jobs {
    var waiting: [UnownedJob] = []
    /// The tasks that wait until there is a job or ``wake()`` is called.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Whether ``wake()`` was called and no task has waited since.
    var hasNews = false
    /// Whether the executor has retired, and hands its jobs on to the global one.
    var isOver = false
  }

  private let jobs = Mutex(Jobs())

  /// An executor without jobs.
  public init() {}

  /// Keeps a job until it is to be run; called by the concurrency runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isOver = jobs.withLock { jobs in
      if !jobs.isOver { jobs.waiting.append(job) }
      return jobs.isOver
    }
    if isOver { globalConcurrentExecutor.enqueue(ExecutorJob(job)) } else { wake() }
  }

  /// Hands present and future jobs to the global executor, which runs tasks on its own threads.
  func retire() {
    let waiting = jobs.withLock { jobs in
      defer { jobs.waiting = [] }
      jobs.isOver = true
      return jobs.waiting
    }
    for job in waiting { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Ends the present waits; if there are none, ends the next one at once.
  func wake() {
    let waiters = jobs.withLock { jobs in
      defer { jobs.waiters = [] }
      jobs.hasNews = jobs.waiters.isEmpty
      return jobs.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Runs the jobs in order, and those that follow from them, until there are none.
  public func runUntilIdle() { _ = run(atMost: .max) }

  /// Runs the jobs in order, and those that follow from them, until there are none or about `limit` were run.
  ///
  /// - Returns: how many were run; a few more than the limit if the last batch went beyond it.
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
