/// Holds a client to a number of actions a second, or of messages.
///
/// The generic cell rate algorithm (ITU-T I.371): one number says when the bucket will be full again; each action moves
/// it on by the time that the rate allows one for.
struct TokenBucket {
  /// Nanoseconds that one action is worth; 0 for no limit.
  private let interval: UInt64
  /// Nanoseconds that a full bucket is worth.
  let allowance: UInt64
  private var full: UInt64 = 0

  /// A full bucket.
  ///
  /// - Parameters:
  ///   - rate: actions a second; 0 for no limit.
  ///   - burst: actions at once.
  init(rate: Int, burst: Int) {
    interval = rate > 0 ? 1_000_000_000 / UInt64(rate) : 0
    allowance = interval * UInt64(max(burst, 1))
  }

  /// Takes out of the bucket, even if it is empty.
  ///
  /// - Parameters:
  ///   - count: how many actions.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: nanoseconds until the next one should be taken; 0 for at once.
  mutating func take(_ count: UInt64, at now: UInt64) -> UInt64 {
    guard interval > 0 else { return 0 }
    full = max(full, now) + interval * count
    let debt = full - now + interval
    return debt > allowance ? debt - allowance : 0
  }
}
