public import Wire

/// How long a client waits before it connects again.
///
/// The longest wait doubles with every attempt, from 50 ms up to 30 s, and the wait is a random one below it: of many
/// clients that were cut off together no two come back together. A `welcome` begins anew.
public struct BackOff: Sendable {
  /// The longest first wait, in milliseconds.
  public static let shortest = 50
  /// The longest of all waits, in milliseconds.
  public static let longest = 30_000
  /// The least that a client waits that was told to come back later, in milliseconds.
  public static let later = 1000

  private var ceiling = Self.shortest

  /// Waits as after a `welcome`.
  public init() {}

  /// Notes that a `welcome` came.
  public mutating func succeeded() { ceiling = Self.shortest }

  /// The wait before the next attempt.
  ///
  /// - Parameters:
  ///   - ending: how the last connection, or the last attempt, ended.
  ///   - generator: what the wait is drawn from.
  /// - Returns: milliseconds; nil for ever.
  public mutating func delay(after ending: Bye.Return, using generator: inout some RandomNumberGenerator) -> Int? {
    let floor: Int
    switch ending {
    case .not: return nil
    case .atOnce, .asNewSession: floor = 0
    case .later:
      floor = Self.later
      ceiling = max(ceiling, 2 * Self.later)
    }
    let delay = Int.random(in: floor...ceiling, using: &generator)
    ceiling = min(2 * ceiling, Self.longest)
    return delay
  }

  /// When to leave a server that goes down and has said `drain`.
  ///
  /// - Parameters:
  ///   - milliseconds: as the server says; clients leave at any time until then.
  ///   - generator: what the wait is drawn from.
  /// - Returns: milliseconds from the `drain` on.
  public func delay(drainedWithin milliseconds: Int, using generator: inout some RandomNumberGenerator) -> Int {
    Int.random(in: 0...max(milliseconds, 0), using: &generator)
  }
}
