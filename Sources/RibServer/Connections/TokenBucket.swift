/// Holds someone to a rate: a client to its actions, or an address to its new sessions.
///
/// The generic cell rate algorithm (ITU-T I.371): one number says when the bucket will be full again; each token that is
/// taken moves it on by the time that the rate allows one for.
struct TokenBucket {
  /// A rate, and how much may be taken at once.
  struct Rate: Equatable {
    /// Nanoseconds in which a bucket gains one token; 0 for no limit.
    let interval: UInt64
    /// Nanoseconds in which an empty bucket fills.
    let allowance: UInt64

    /// A rate.
    ///
    /// - Parameters:
    ///   - count: how many tokens a bucket gains within the period; 0 for no limit.
    ///   - period: nanoseconds.
    ///   - burst: how many tokens a full bucket has.
    init(_ count: Int, per period: UInt64 = 1_000_000_000, burst: Int) {
      interval = count > 0 ? period / UInt64(count) : 0
      allowance = interval * UInt64(max(burst, 1))
    }
  }

  let rate: Rate
  /// When the bucket is full again, in nanoseconds of a monotonic clock.
  private(set) var full: UInt64

  /// Nanoseconds in which the empty bucket fills.
  var allowance: UInt64 { rate.allowance }

  /// A bucket.
  ///
  /// - Parameters:
  ///   - rate: how fast it fills, and what it holds.
  ///   - full: when it is full again.
  init(_ rate: Rate, full: UInt64 = 0) { (self.rate, self.full) = (rate, full) }

  /// Nanoseconds until there is a token; 0 if there is one.
  func wait(at now: UInt64) -> UInt64 {
    guard rate.interval > 0 else { return 0 }
    let debt = max(full, now) - now + rate.interval
    return debt > rate.allowance ? debt - rate.allowance : 0
  }

  /// Takes tokens out of the bucket, even if it is empty.
  ///
  /// - Parameters:
  ///   - count: how many tokens.
  ///   - now: nanoseconds of a monotonic clock.
  ///   - longest: nanoseconds that the bucket may be behind at most: what is more is forgiven.
  /// - Returns: nanoseconds until the next one should be taken; 0 for at once.
  mutating func take(_ count: UInt64, at now: UInt64, longest: UInt64 = .max) -> UInt64 {
    guard rate.interval > 0 else { return 0 }
    full = max(full, now) + rate.interval * count
    guard full - now > rate.allowance - rate.interval else { return 0 }
    let wait = full - now + rate.interval - rate.allowance
    guard wait > longest else { return wait }
    full -= wait - longest
    return longest
  }

  /// Takes over what was taken from another bucket, of whatever rate.
  ///
  /// - Parameters:
  ///   - other: the other bucket.
  ///   - now: nanoseconds of a monotonic clock.
  mutating func take(over other: TokenBucket, at now: UInt64) {
    full = max(full, now) + (max(other.full, now) - now)
  }
}
