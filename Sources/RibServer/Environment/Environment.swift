/// The clocks of a server, its random bits, and the queues and the pool of tasks that decide in which order its jobs are done.
///
/// All of it is the system's, unless a test hands in another environment. Clocks, queues and semaphores share one time, and are
/// replaced together. The rest of this module asks the system for none of these: `scripts/check-seams` looks for the names of
/// the calls.
struct Environment: Sendable {
  /// The clocks.
  var time: TimeSource
  /// 64 random bits.
  var randomWord: @Sendable () -> UInt64
  /// Makes a queue.
  ///
  /// - name: for debuggers.
  /// - urgency: how soon it gets a thread.
  var makeQueue: @Sendable (_ name: String, _ urgency: QueueUrgency) -> any JobQueue
  /// Makes a semaphore.
  var makeSemaphore: @Sendable () -> any Semaphore
  /// Where effects and walks run; nil for Swift's own pool.
  var taskExecutor: (any TaskExecutor)?

  /// The system's.
  static let system = Environment(
    time: .system, randomWord: { UInt64.random(in: .min ... .max) }, makeQueue: makeDispatchQueue,
    makeSemaphore: { SystemSemaphore() })

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
