/// The clocks of a server, its random bits, its connections, and the queues and the pool of tasks that decide in which order its
/// jobs are done.
///
/// All of it is the system's, unless a test hands in another environment. Clocks, queues and semaphores share one time, and are
/// replaced together. The rest of this module asks the system for none of these: `scripts/check-seams` looks for the names of
/// the calls.
package struct Environment: Sendable {
  /// The clocks.
  package var time: TimeSource
  /// 64 random bits.
  package var randomWord: @Sendable () -> UInt64
  /// Makes a queue.
  ///
  /// - name: for debuggers.
  /// - urgency: how soon it gets a thread.
  package var makeQueue: @Sendable (_ name: String, _ urgency: QueueUrgency) -> any JobQueue
  /// Makes a semaphore.
  package var makeSemaphore: @Sendable () -> any Semaphore
  /// Where connections come from.
  package var sockets = SocketSource.system
  /// Wraps the store that the server's settings name, where a test puts a store of its own before it.
  package var wrapStore: @Sendable (any SessionStore) -> any SessionStore = { $0 }
  /// Where effects and walks run; nil for Swift's own pool.
  package var taskExecutor: (any TaskExecutor)?
  /// The program, as it tells itself from others: a session that has left the memory of another one may be shown otherwise; nil for
  /// ``Executable/mark``, or among nodes ``Executable/contentMark``.
  package var program: String?
  /// The crash reports that the runtime writes; nil if it does not write them to a directory.
  package var crashReports: CrashReports?

  /// An environment with the system's connections, pool of tasks and program.
  package init(
    time: TimeSource, randomWord: @escaping @Sendable () -> UInt64,
    makeQueue: @escaping @Sendable (_ name: String, _ urgency: QueueUrgency) -> any JobQueue,
    makeSemaphore: @escaping @Sendable () -> any Semaphore
  ) {
    self.time = time
    self.randomWord = randomWord
    self.makeQueue = makeQueue
    self.makeSemaphore = makeSemaphore
  }

  /// The system's.
  package static let system: Environment = {
    var system = Environment(
      time: .system, randomWord: { UInt64.random(in: .min ... .max) }, makeQueue: makeDispatchQueue,
      makeSemaphore: { SystemSemaphore() })
    system.crashReports = .ofProcess
    return system
  }()

  /// Random bits as hexadecimal digits.
  ///
  /// - Parameter words: of 64 bits.
  /// - Returns: 16 digits a word.
  func randomHex(words: Int) -> String {
    (0..<words).map { _ in
      let digits = String(randomWord(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// A new token: what a client proves itself with.
  ///
  /// - Returns: 256 random bits, as 64 hexadecimal digits.
  func makeToken() -> String { randomHex(words: 4) }
}
