import Dispatch

/// What a server asks of the system that is another thing each time: the clocks and the random bits.
///
/// It is the system's unless a test says otherwise.
struct Environment: Sendable {
  /// Nanoseconds of a clock that never jumps.
  var monotonic: @Sendable () -> UInt64
  /// Seconds since 1970, as the machine has them: they may jump.
  var wallClock: @Sendable () -> Int
  /// 64 random bits.
  var randomWord: @Sendable () -> UInt64

  /// The system's.
  static let system = Environment(
    monotonic: { DispatchTime.now().uptimeNanoseconds }, wallClock: { wallClockSeconds() },
    randomWord: { UInt64.random(in: .min ... .max) })

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
