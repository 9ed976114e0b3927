/// How often a client may ask for the whole view: a rule of the protocol.
struct ResyncLimit {
  /// The most within ``seconds``.
  static let count = 6
  /// The time that they are counted in.
  static let seconds = 60

  /// When the last ones came, as the loop's time.
  private var times: [UInt64] = []

  /// Counts one.
  ///
  /// - Parameter now: the loop's time.
  /// - Returns: false if it is one too many.
  mutating func take(at now: UInt64) -> Bool {
    times.removeAll { now - $0 >= UInt64(Self.seconds) * 1_000_000_000 }
    times.append(now)
    return times.count <= Self.count
  }
}
