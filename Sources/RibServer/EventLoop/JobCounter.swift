import Synchronization

/// How many jobs wait on a loop's queue: a handler that could go on for long looks whether to make way.
package final class JobCounter: Sendable {
  private let waiting = Atomic<Int>(0)

  /// Whether a job waits.
  package var isAnyWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }
  func willEnqueue() { waiting.add(1, ordering: .sequentiallyConsistent) }
  func didStart() { waiting.subtract(1, ordering: .sequentiallyConsistent) }
}
