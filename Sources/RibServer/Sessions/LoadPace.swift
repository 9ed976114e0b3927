/// How many sessions may wait to be read.
///
/// After a restart, and when a node goes down, clients come back in their thousands. One that is sent away comes back later, with another
/// handshake: so a client that will be answered in time for its welcome waits, and the limit is a time. How many that are follows from how
/// fast sessions were read lately, many at a time.
///
/// Each that waits has a connection, of which there are not more than the settings allow.
struct LoadPace {
  /// How long a session may wait to be read, in nanoseconds.
  ///
  /// Clients wait for their welcome for 15 seconds, and some need two reads for it.
  static let patience: UInt64 = 5_000_000_000
  /// How many may wait however slow the store was lately, which may be over.
  static let leastLimit = 512
  /// How many answers what is known of the store's pace is of.
  private static let memory: UInt64 = 128

  /// How many wait.
  private(set) var count = 0
  /// When the store has answered last, or was asked while nobody waited, in nanoseconds of the monotonic clock.
  private var since: UInt64 = 0
  /// Whether the store has failed since: the time until its next answer is no other session's.
  private var hasFailed = false
  /// The mean time from one answer to the next while others wait, in nanoseconds; what a slow store takes as long as nothing is known.
  private var cost: UInt64 = 1_000_000

  /// How many may wait.
  var limit: Int { max(Self.leastLimit, Int(Self.patience / max(cost, 1))) }

  /// Takes one in, if it may wait.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: false if others will not be answered in time, or the store has not answered for as long.
  mutating func enter(at now: UInt64) -> Bool {
    if count == 0 { (since, hasFailed) = (now, false) }
    guard count < limit, now - min(since, now) <= Self.patience else { return false }
    count += 1
    return true
  }

  /// A session was read.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  mutating func leave(at now: UInt64) {
    count -= 1
    // A session that was alone says how long a commit takes, and not how many sessions it may have.
    if count > 0, !hasFailed { cost = cost - cost / Self.memory + (now - min(since, now)) / Self.memory }
    didAnswer(at: now)
  }

  /// The store has answered without a session: it was not found, or could not be taken, which says nothing of how fast others are read.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  mutating func leaveUnread(at now: UInt64) {
    count -= 1
    didAnswer(at: now)
  }

  private mutating func didAnswer(at now: UInt64) { (since, hasFailed) = (max(since, now), false) }

  /// The store has not answered: what comes next says how long it was away.
  mutating func fail() {
    count -= 1
    hasFailed = true
  }

  /// The store is not asked for a session after all.
  mutating func cancel() { count -= 1 }
}
