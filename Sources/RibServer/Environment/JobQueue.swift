/// Where one job is done after the other: a loop's work, the store's, or what a timer asks for.
protocol JobQueue: AnyObject, Sendable {
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
  /// - Parameter setup: what it is made for.
  /// - Returns: the poller.
  /// - Throws: ``SystemError`` if the process is out of descriptors.
  func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller
}

/// How soon a queue gets a thread.
enum QueueUrgency {
  /// As what it works for.
  case normal
  /// Also when others want one.
  case urgent
  /// When nobody else wants one.
  case background
}

/// What a loop's poller is made for.
struct PollerSetup {
  /// How long to wait for more once events were found, in milliseconds.
  var linger: Int32
  /// Whether to use one epoll set, where there is epoll.
  var usesEpoll: Bool
  /// How many jobs wait on the queue.
  var jobs: JobCounter
  /// Called before each batch of events; says the time, in nanoseconds.
  var willHandle: () -> UInt64
  /// Called after each batch.
  var didHandle: () -> Void
  /// Called in the batch behind a ``Poller/wake()`` that has found the handler waiting.
  var wasWoken: () -> Void = {}
}

/// What a thread waits for that another one has to say.
///
/// Each ``send()`` ends one waiting, also one that begins later.
protocol Signal: AnyObject, Sendable {
  /// Ends one waiting.
  func send()

  /// Waits.
  func wait()

  /// Waits for a while.
  ///
  /// - Parameter end: until when at most, in nanoseconds of the clock that never jumps.
  /// - Returns: whether it was sent; false if time was up.
  func wait(until end: UInt64) -> Bool
}
