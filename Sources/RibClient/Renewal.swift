/// When a client shows a new credential: after four fifths of the time that its identity has left, up to a twentieth earlier or later, so
/// that the clients of a server do not all renew at once.
public struct Renewal: Sendable {
  /// The shortest time between two renewals, in milliseconds.
  public static let pause = 10_000

  /// When the renewal is due, in milliseconds of the client's clock; nil for never.
  private var due: Int?

  /// A client whose identity does not end.
  public init() {}

  /// Notes when the identity ends, as `welcome` or `auth` says.
  ///
  /// - Parameters:
  ///   - expires: in how many milliseconds the identity ends; nil for never.
  ///   - now: milliseconds of a clock that does not go back.
  ///   - generator: the source of the random part, a twentieth of the time.
  public mutating func note(expires: Int?, at now: Int, using generator: inout some RandomNumberGenerator) {
    due = expires.map { left in
      let left = min(max(left, 0), 1 << 40)
      let twentieth = left / 20
      return now + max(left * 4 / 5 + Int.random(in: -twentieth...twentieth, using: &generator), Self.pause)
    }
  }

  /// How long until a new credential is to be shown.
  ///
  /// - Parameter now: milliseconds of the same clock.
  /// - Returns: milliseconds; 0 if it is time; nil for never.
  public func wait(at now: Int) -> Int? { due.map { max($0 - now, 0) } }

  /// Notes that the renewal has begun: the server's answer says when the next one is due.
  public mutating func began() { due = nil }

  /// Notes that there was no new credential: the next try is after ``pause``.
  ///
  /// - Parameter now: milliseconds of the same clock.
  public mutating func failed(at now: Int) { due = now + Self.pause }
}
