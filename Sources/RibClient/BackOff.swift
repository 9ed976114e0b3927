public import Wire

/// How long a client waits before it connects again.
///
/// The longest possible wait doubles with every attempt, from 50 ms up to 30 s, and the actual wait is random below it,
/// so that clients that were cut off together do not come back together. A `welcome` resets the longest wait.
public struct BackOff: Sendable {
  /// The longest first wait, in milliseconds.
  public static let shortest = 50
  /// The longest of all waits, in milliseconds.
  public static let longest = 30_000
  /// The shortest wait of a client that was told to come back later, in milliseconds.
  public static let later = 1000

  /// After how many attempts in a row without a valid credential the client gives up.
  public static let refusalLimit = 3

  private var ceiling = Self.shortest
  /// How many attempts have ended for want of a valid credential since the last `welcome`.
  private var refusals = 0

  /// A state as after a `welcome`.
  public init() {}

  /// Notes that a `welcome` came.
  public mutating func succeeded() {
    ceiling = Self.shortest
    refusals = 0
  }

  /// The wait before the next attempt to connect.
  ///
  /// - Parameters:
  ///   - ending: how the last connection, or the last attempt, ended.
  ///   - generator: the source of the random wait.
  /// - Returns: the wait in milliseconds; nil if the client is not to connect again by itself.
  public mutating func delay(after ending: Bye.Return, using generator: inout some RandomNumberGenerator) -> Int? {
    let floor: Int
    switch ending {
    case .whenAsked, .not: return nil
    case .atOnce, .asNewSession: floor = 0
    case .withCredential:
      refusals += 1
      guard refusals < Self.refusalLimit else { return nil }
      floor = 0
    case .later:
      floor = Self.later
      ceiling = max(ceiling, 2 * Self.later)
    }
    let delay = Int.random(in: floor...ceiling, using: &generator)
    ceiling = min(2 * ceiling, Self.longest)
    return delay
  }

  /// When to leave a server that has sent `drain`.
  ///
  /// - Parameters:
  ///   - milliseconds: the time within which the clients are to leave, each at a random moment.
  ///   - generator: the source of the random moment.
  /// - Returns: the wait in milliseconds, counted from the `drain`.
  public func delay(drainedWithin milliseconds: Int, using generator: inout some RandomNumberGenerator) -> Int {
    Int.random(in: 0...max(milliseconds, 0), using: &generator)
  }
}
