/// A serial queue: the jobs of a loop, of the store's writer or of a timer are done on it, one after the other.
package protocol JobQueue: AnyObject, Sendable {
  /// Has a job done behind those that wait.
  ///
  /// Thread-safe, as is the next one.
  func add(_ job: @escaping @Sendable () -> Void)

  /// Has a job done once so many nanoseconds have passed.
  func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void)

  /// Does something behind the jobs that wait, and returns when it is done; not to be called by a job of the queue.
  func run(_ body: () -> Void)

  /// Traps elsewhere than in a job of the queue.
  func preconditionCurrent()

  /// Makes a poller that calls its targets in jobs of the queue.
  ///
  /// - Parameter setup: its settings, and whom it tells.
  /// - Returns: the poller.
  /// - Throws: ``SystemError`` if the process is out of descriptors.
  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller
}

/// How soon a queue gets a thread.
package enum QueueUrgency {
  /// As what it works for.
  case normal
  /// Also when others want one.
  case urgent
  /// When nobody else wants one.
  case background
}
