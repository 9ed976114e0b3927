/// Decides when keys are loaded and how long they are used; it has no clock of its own.
///
/// | keys        | a key is missing             | none is missing            |
/// |-------------|------------------------------|----------------------------|
/// | fresh       | once in a cool-down          | not                        |
/// | stale       | at once, then with back-off  | the same                   |
/// | none, ended | at once, then with back-off  | the same                   |
///
/// All times are whole seconds of a clock that never jumps.
struct RefreshPlan: Equatable, Sendable {
  /// The intervals of a plan, in seconds.
  struct Pauses: Equatable, Sendable {
    /// From a load until its keys are stale.
    let refresh: Int
    /// The shortest time between two loads for a missing key, and the longest back-off after failed loads.
    let cooldown: Int
    /// From a load until its keys end, and are not used any more, if later loads fail.
    let maxStale: Int
    /// The least time to which a response can shorten ``refresh``.
    static let leastRefresh = 60
  }

  private enum State: Equatable {
    /// Nothing was ever loaded.
    case empty
    /// There are keys, which are stale from the first time on, and not used any more from the later one of both on.
    case loaded(staleAt: Int, overAt: Int)
  }

  private let pauses: Pauses
  private var state = State.empty
  /// The end of the last attempt; nil before the first.
  private var lastAttempt: Int?
  /// Failed attempts since the last successful one.
  private var failures = 0

  /// A plan before the first load.
  ///
  /// - Parameter pauses: its intervals.
  init(_ pauses: Pauses) { self.pauses = pauses }

  /// Whether there are keys that need not be loaded anew.
  func isFresh(at now: Int) -> Bool {
    guard case .loaded(let staleAt, _) = state else { return false }
    return now < staleAt
  }

  /// Whether the keys that there are may be used, fresh or not.
  func mayUse(at now: Int) -> Bool {
    guard case .loaded(let staleAt, let overAt) = state else { return false }
    return now < max(staleAt, overAt)
  }

  /// Whether keys are to be loaded now.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - isMissing: whether a token names a key that the set does not have.
  /// - Returns: false as well while it is too early for another attempt.
  func wantsLoad(at now: Int, isMissing: Bool) -> Bool {
    guard let lastAttempt else { return true }
    if isFresh(at: now) { return isMissing && now - lastAttempt >= pauses.cooldown }
    return now - lastAttempt >= backOff
  }

  /// Seconds until the next attempt: 1, 2, 4, and so on up to the cool-down.
  private var backOff: Int {
    failures == 0 ? 0 : min(pauses.cooldown, 1 << min(failures - 1, 12))
  }

  /// Keys were loaded.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - freshSeconds: for how long they are fresh, as the response says; nil if it does not.
  mutating func succeeded(at now: Int, freshSeconds: Int?) {
    lastAttempt = now
    failures = 0
    let announced = freshSeconds.map { max($0, Pauses.leastRefresh) } ?? pauses.refresh
    state = .loaded(staleAt: now + min(announced, pauses.refresh), overAt: now + pauses.maxStale)
  }

  /// Keys could not be loaded: those from before are kept.
  ///
  /// - Parameter now: the time.
  mutating func failed(at now: Int) {
    lastAttempt = now
    failures += 1
  }
}
