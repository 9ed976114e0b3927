import Dispatch

/// A queue of the system's.
///
/// - Parameters:
///   - name: for debuggers.
///   - urgency: how soon it gets a thread.
/// - Returns: a serial queue.
func makeDispatchQueue(_ name: String, _ urgency: QueueUrgency) -> any JobQueue {
  let quality: DispatchQoS =
    switch urgency {
    case .normal: .unspecified
    case .urgent: .userInitiated
    case .background: .utility
    }
  return DispatchQueue(label: name, qos: quality)
}

extension DispatchQueue: JobQueue {
  func add(_ job: @escaping @Sendable () -> Void) { async(execute: job) }

  func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void) {
    asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)), execute: job)
  }

  func run(_ body: () -> Void) { sync(execute: body) }

  func preconditionCurrent() { dispatchPrecondition(condition: .onQueue(self)) }

  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller {
    #if os(Linux)
      if setup.usesEpoll { return try EpollPoller(queue: self, setup) }
    #endif
    return DispatchPoller(queue: self, setup)
  }
}
