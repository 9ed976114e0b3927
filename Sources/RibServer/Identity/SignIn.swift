import RibCore
import Synchronization

/// A person whose credential a client has shown to this process, and how long the credential counts.
final class SignIn: Sendable {
  let identity: Identity
  /// When a new credential is due, in nanoseconds of the monotonic clock: a system clock that is set changes nothing; nil for never.
  private let expiry: UInt64?
  /// Nanoseconds beyond ``expiry`` in which a new credential may come.
  private let grace: UInt64
  /// When the authenticator has last answered about the person, or has failed to in time, in nanoseconds of the monotonic clock.
  private let checkTime: Atomic<UInt64>

  /// A person that the authenticator has found.
  ///
  /// - Parameters:
  ///   - identity: the person.
  ///   - time: the clocks, to compare the identity's end with.
  ///   - grace: seconds beyond that end in which a new credential may come.
  init(_ identity: Identity, _ time: TimeSource, grace: Int) {
    self.identity = identity
    self.grace = UInt64(grace) * 1_000_000_000
    checkTime = Atomic(time.monotonic())
    expiry = identity.secondExpires.map { end in
      // An authenticator may give any number, also NaN.
      let left = end - Double(time.wall())
      let nanoseconds = left.isNaN ? -1e18 : min(max(left, -1e9), 1e9) * 1e9
      let now = time.monotonic()
      return nanoseconds > 0 ? now + UInt64(nanoseconds) : now - min(now, UInt64(-nanoseconds))
    }
  }

  /// Whether the identity has expired, and the grace period is over.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: whether the client has to go.
  func isOver(at now: UInt64) -> Bool { expiry.map { now >= $0 + grace } ?? false }

  /// The time until the authenticator is to be asked about the person again.
  ///
  /// - Parameters:
  ///   - interval: seconds from one recheck to the next.
  ///   - now: nanoseconds of the monotonic clock.
  /// - Returns: seconds, rounded up; 0 if a recheck is due.
  func secondsToCheck(every interval: Int, at now: UInt64) -> Int {
    let due = checkTime.load(ordering: .relaxed) + UInt64(interval) * 1_000_000_000
    return now >= due ? 0 : Int((due - now + 999_999_999) / 1_000_000_000)
  }

  /// Takes note that the authenticator has answered about the person again, or has failed to in time.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  func didCheck(at now: UInt64) { checkTime.store(now, ordering: .relaxed) }

  /// Takes over the time of the last recheck from the sign-in that this one replaces: a renewal does not postpone the next recheck.
  ///
  /// - Parameter former: the same person's former sign-in.
  func goOn(from former: SignIn) {
    checkTime.store(former.checkTime.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// The time until a new credential is due.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: milliseconds; nil for never.
  func millisecondsLeft(at now: UInt64) -> Int? { expiry.map { Int(($0 - min(now, $0)) / 1_000_000) } }

  /// The time until the identity's grace period is over.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: seconds, rounded up; nil for never.
  func secondsLeft(at now: UInt64) -> Int? {
    expiry.map { Int(($0 + grace - min(now, $0 + grace) + 999_999_999) / 1_000_000_000) }
  }
}
