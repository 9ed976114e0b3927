/// Whether a store works, and when one that fails is tried again.
///
/// | state     | ``didFail(at:)``                   | ``didTry(works:at:)`` with true | … with false          |
/// |-----------|------------------------------------|---------------------------------|-----------------------|
/// | `working` | `failing`, and is tried after a pause |                              |                       |
/// | `failing` | `failing`                          | `working`                       | tried after a pause   |
///
/// What works while the store fails is no sign that it does: a small commit has room where a large one has none, and who was
/// told that the store is back would try at once, again and again. Only the try after the pause ends the failure, and each
/// pause is longer, until the store has worked for a while.
struct StoreHealth {
  private enum State {
    /// It works, since this time; nil for ever.
    case working(since: UInt64?)
    case failing
  }

  /// The first pause and the longest, in milliseconds.
  static let pauses = 50...2_000
  /// How long a store has to work before it is trusted again, in nanoseconds.
  private static let probation: UInt64 = 10_000_000_000

  private var state = State.working(since: nil)
  /// The next pause, in milliseconds.
  private var pause = StoreHealth.pauses.lowerBound

  /// Whether the store fails.
  var isFailing: Bool { if case .failing = state { true } else { false } }

  /// Takes note that something could not be done.
  ///
  /// - Parameter now: in nanoseconds.
  /// - Returns: when the store is to be tried, in milliseconds; nil if that is known.
  mutating func didFail(at now: UInt64) -> Int? {
    guard case .working(let since) = state else { return nil }
    if let since, now - min(now, since) < Self.probation {} else { pause = Self.pauses.lowerBound }
    state = .failing
    return nextPause()
  }

  /// Takes note of a try.
  ///
  /// - Parameters:
  ///   - works: whether it was successful.
  ///   - now: in nanoseconds.
  /// - Returns: when the store is to be tried again, in milliseconds; nil if it works.
  mutating func didTry(works: Bool, at now: UInt64) -> Int? {
    guard isFailing else { return nil }
    guard works else { return nextPause() }
    state = .working(since: now)
    return nil
  }

  private mutating func nextPause() -> Int {
    defer { pause = min(2 * pause, Self.pauses.upperBound) }
    return pause
  }
}
