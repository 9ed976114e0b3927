/// Which sessions this node has taken over from others lately.
///
/// They stay for a while, whoever asks for them: clients of one session that come by several nodes would otherwise have it move with each word.
struct RecentMoves {
  /// How long a session stays, in nanoseconds.
  private let stay: UInt64
  private var latest: [String: UInt64] = [:]  // safe text: names of sessions that there are
  /// Those that came before `latest` began.
  private var earlier: [String: UInt64] = [:]  // safe text: names of sessions that there are
  private var beginning: UInt64 = 0

  /// No sessions.
  ///
  /// - Parameter stay: how long each is to stay, in nanoseconds.
  init(stay: UInt64) { self.stay = stay }

  /// Takes note that a session has come.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - now: nanoseconds of the clock that never jumps.
  mutating func note(_ id: String, at now: UInt64) {
    if now - min(beginning, now) >= stay { (earlier, latest, beginning) = (latest, [:], now) }
    latest[id] = now
  }

  /// Whether a session has come so lately that it is to stay.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - now: nanoseconds of the same clock.
  /// - Returns: whether it has.
  func contains(_ id: String, at now: UInt64) -> Bool {
    (latest[id] ?? earlier[id]).map { now - min($0, now) < stay } ?? false
  }
}
