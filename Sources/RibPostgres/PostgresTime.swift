import RibServer

/// The time that the sessions of a cluster age by: seconds, counted while some node is there.
///
/// Each node counts on from what the table has, by its own monotonic clock, and writes what it has counted every few seconds; the
/// greatest count holds. The system's clocks have no part in it: they may jump as they like. A node that finds the table far behind
/// its own count was held up, as were all others, or was the only one: that time is not counted. While no node is there, the
/// time stands still.
struct PostgresTime {
  /// What a node may be silent for, before the time is not counted: in seconds.
  static let tolerance = 60

  private var known: (time: Int, moment: Int)

  /// The time of the table, now.
  init(_ time: Int, _ clock: TimeSource) { known = (time, clock.seconds) }

  /// What it is now.
  func now(_ clock: TimeSource) -> Int { known.time + clock.seconds - known.moment }

  /// The earliest that it can be: by this time no session is forgotten too early.
  ///
  /// - Parameters:
  ///   - stored: what the table has.
  ///   - clock: what tells the time.
  /// - Returns: seconds.
  func earliest(_ stored: Int, _ clock: TimeSource) -> Int { min(now(clock), stored + Self.tolerance) }

  /// Compares the count with the table's.
  ///
  /// - Parameters:
  ///   - stored: what the table has.
  ///   - clock: what tells the time.
  /// - Returns: the seconds that are not counted; nil for none.
  mutating func compare(with stored: Int, _ clock: TimeSource) -> StoreTime.Change? {
    let counted = now(clock)
    if counted - stored > Self.tolerance {
      self = PostgresTime(stored, clock)
      return .pause(counted - stored)
    }
    if stored > counted { self = PostgresTime(stored, clock) }
    return nil
  }
}
