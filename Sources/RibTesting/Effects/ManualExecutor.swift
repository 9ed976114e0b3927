import Synchronization

/// An executor that runs what is enqueued when the test says so, on the test's own thread.
///
/// Tasks that prefer it run nowhere else, and neither do the actors that they call, but for actors with an executor of their
/// own. What waits for the outside — a real sleep, a socket — comes back to it when that is over.
public final class ManualExecutor: TaskExecutor {
  private struct Jobs {
    var waiting: [UnownedJob] = []
    /// Who waits for a job to come.
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let jobs = Mutex(Jobs())

  /// An executor without jobs.
  public init() {}

  /// Keeps a job until it is to be run; called by the concurrency runtime.
  ///
  /// - Parameter job: the job.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let waiter = jobs.withLock { jobs in
      jobs.waiting.append(job)
      return jobs.waiter.take()
    }
    waiter?.resume()
  }

  /// Runs jobs, and those that follow from them, in order, until there is none.
  public func runUntilIdle() {
    while true {
      let batch = jobs.withLock { jobs in
        let batch = jobs.waiting
        jobs.waiting = []
        return batch
      }
      guard !batch.isEmpty else { return }
      for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Waits until there is a job; one caller at a time.
  func waitForJob() async {
    await withCheckedContinuation { continuation in
      let hasJob = jobs.withLock { jobs in
        guard jobs.waiting.isEmpty else { return true }
        jobs.waiter = continuation
        return false
      }
      if hasJob { continuation.resume() }
    }
  }
}
