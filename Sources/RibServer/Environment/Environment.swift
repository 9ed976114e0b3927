/// What a server asks of the system that is another thing each time: clocks, random bits, and in which order things happen that
/// run beside each other.
///
/// It is the system's unless a test says otherwise. Clocks, queues and signals are of one time, and are replaced together. Nothing else in this module asks for any of it: `scripts/check-seams` looks
/// for the names by which one would.
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
  /// Makes a signal.
  var makeSignal: @Sendable () -> any Signal
  /// Where effects and walks run; nil for Swift's own pool.
  var taskExecutor: (any TaskExecutor)?

  /// The system's.
  static let system = Environment(
    time: .system, randomWord: { UInt64.random(in: .min ... .max) }, makeQueue: makeDispatchQueue,
    makeSignal: { DispatchSignal() })

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
