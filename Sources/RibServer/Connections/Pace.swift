/// A pause in which a connection is not read, as its client has used up its budget: TCP slows the client down.
struct Pace {
  /// Nanoseconds that a pause lasts at least, if the bucket holds that much: several messages at a time cost less than a
  /// pause before each.
  private static let longestOfShortPauses: UInt64 = 100_000_000

  private let shortestPause: UInt64
  /// Until when the client is not read from.
  private(set) var end: UInt64 = 0
  private(set) var isPaused = false

  /// The pace of a connection that was never paused.
  ///
  /// - Parameters:
  ///   - allowance: nanoseconds in which the client's bucket fills.
  ///   - number: the connection's. Pauses of neighbours differ by up to half: clients that once went on together would do so
  ///     for ever, and hold up all other clients at a time.
  init(_ allowance: UInt64, of number: Int) {
    // Of a pause that is longer than what the bucket holds the rest would be lost.
    let pause = min(Self.longestOfShortPauses, allowance / 2)
    shortestPause = pause + pause / 16 * UInt64(number & 7)
  }

  /// Begins a pause, or makes it longer.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long it is at least.
  ///   - now: when it begins.
  /// - Returns: whether it has begun.
  mutating func pause(for nanoseconds: UInt64, at now: UInt64) -> Bool {
    end = max(end, now + max(nanoseconds, shortestPause))
    defer { isPaused = true }
    return !isPaused
  }

  mutating func goOn() { (isPaused, end) = (false, 0) }
}
