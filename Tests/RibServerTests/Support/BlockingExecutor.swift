import Foundation
import RibTestSupport
import Testing

/// Runs each job of a task on a thread of its own, where it may wait for sockets and processes without holding up the
/// threads that other tasks share.
final class BlockingExecutor: TaskExecutor {
  static let shared = BlockingExecutor()

  /// How many seconds blocking code may take: more than any test needs.
  static let limit = 300 * slowness

  /// How much longer everything takes than it would without a sanitizer.
  fileprivate static let slowness: Double = Sanitizer.current == nil ? 1 : 10

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    BlockingThread.start { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs blocking code on a thread of its own, as a part of the calling task: a failure in it is the failure of the test,
/// and of the row, that has called it, because Swift Testing knows both by task-local values.
///
/// No time limit of Swift Testing's ends such code, which does not look whether its task is cancelled. When it has not ended
/// after `seconds`, the test is named and the process ends: the tests behind it would never come.
func blocking<Result: Sendable>(
  within seconds: Double = BlockingExecutor.limit, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await BlockingExecutor.run(within: seconds) { try body() }
}

extension BlockingExecutor {
  fileprivate static func run<Result: Sendable>(
    within seconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let test = Test.current.map { "\($0.name) in \($0.sourceLocation)" } ?? "code outside of a test"
    return try await withTaskExecutorPreference(shared) {
      let hasEnded = DispatchSemaphore(value: 0)
      BlockingThread.start {
        guard hasEnded.wait(timeout: .now() + seconds) == .timedOut else { return }
        let text = "\(test) has blocked a thread for \(Int(seconds)) seconds, and ends the test run.\n"
        FileHandle.standardError.write(Data(text.utf8))
        abort()
      }
      defer { hasEnded.signal() }
      return try await body()
    }
  }
}

/// Runs tests that wait for processes and sockets as ``blocking(within:_:)`` does: all of each, on threads of its own.
///
/// There are as few threads for tasks as processors: two tests that waited on them would hold up all others, and the effects of
/// their servers.
struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true
  /// How long each test may take before it ends the run, in seconds: longer than the limits that it has itself, which say more.
  let limit: Double

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await BlockingExecutor.run(within: limit) { try await function() }
  }
}

extension Trait where Self == BlockingTrait {
  /// The tests wait for processes or sockets.
  static var blocking: Self { .blocking(within: 660) }

  /// The same of tests that may take longer.
  ///
  /// - Parameter seconds: how long each may take before it ends the run; ten times as long under a sanitizer.
  /// - Returns: the trait.
  static func blocking(within seconds: Double) -> Self { Self(limit: seconds * BlockingExecutor.slowness) }
}
