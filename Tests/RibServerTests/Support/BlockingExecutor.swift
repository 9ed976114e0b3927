import RibTestSupport

/// Runs each job of a task on a thread of its own, where it may wait for sockets and processes without holding up the
/// threads that other tasks share.
final class BlockingExecutor: TaskExecutor {
  static let shared = BlockingExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    BlockingThread.start { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs blocking code on a thread of its own, as a part of the calling task: a failure in it is the failure of the test,
/// and of the row, that has called it, because Swift Testing knows both by task-local values.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withTaskExecutorPreference(BlockingExecutor.shared) { try body() }
}
