/// What a descriptor is watched for.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// There is something to read, or the peer has closed.
  package static let reading = Interest(rawValue: 1)
  /// There is room to write.
  package static let writing = Interest(rawValue: 2)
}

/// What happened to a descriptor.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// There is something to read, or the peer has closed.
  package static let readable = Readiness(rawValue: 1)
  /// There is room to write.
  package static let writable = Readiness(rawValue: 2)
  /// The connection is gone in both directions; reported whatever the interest is.
  package static let hungUp = Readiness(rawValue: 4)
}

/// The owner of a descriptor, which is told when it is ready.
///
/// Called on the loop's queue.
package protocol PollTarget: AnyObject {
  /// Something has happened to the descriptor.
  func ready(_ readiness: Readiness)
}

/// Watches the descriptors of one loop.
///
/// All calls but ``wake()`` are made on the loop's queue.
///
/// Readiness is level-triggered: what was not read is reported again.
package protocol Poller: AnyObject {
  /// Watches a descriptor, until ``unwatch(_:)``.
  ///
  /// - Returns: the number by which the poller knows it.
  func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) throws(SystemError) -> Int

  /// Changes what a descriptor is watched for.
  func change(_ watch: Int, to interest: Interest)

  /// Ends watching. The target is not called again.
  ///
  /// - Parameters:
  ///   - watch: what ``watch(_:for:_:)`` returned.
  ///   - done: called with the descriptor, on the queue, once nothing refers to it any more.
  func unwatch(_ watch: Int, _ done: @escaping (Int32) -> Void)

  /// Makes a handler that waits for more events go on at once, so that a job on the queue has its turn. Thread-safe.
  ///
  /// - Returns: whether a handler was waiting: then it calls `wasWoken` on the queue, and what it looks for there needs no job.
  @discardableResult func wake() -> Bool

  /// Ends the poller. Nothing may be watched any more.
  func cancel()
}

/// The settings of a loop's poller, and the calls by which it tells the loop.
package struct PollerSetup {
  /// How long to wait for more once events were found, in milliseconds.
  package var linger: Int32
  /// Whether to use one epoll set, where there is epoll.
  package var usesEpoll: Bool
  /// How many jobs wait on the queue.
  package var jobs: JobCounter
  /// Called before each batch of events; says the time, in nanoseconds.
  package var willHandle: () -> UInt64
  /// Called after each batch.
  package var didHandle: () -> Void
  /// Called in the batch behind a ``Poller/wake()`` that has found the handler waiting.
  package var wasWoken: () -> Void = {}
}
