/// How often a client may ask for the whole view: six times in any minute.
///
/// A server whose patches never fit would be asked for ever.
struct ResyncLimit {
  /// How many are allowed in ``span``.
  static let count = 6
  /// Milliseconds that one counts for.
  static let span = 60_000

  private var times: [Int] = []

  /// Takes one.
  ///
  /// - Parameter now: milliseconds of a clock that does not go back.
  /// - Returns: whether it is allowed; one that is not does not count.
  mutating func take(at now: Int) -> Bool {
    times.removeAll { now - $0 >= Self.span }
    guard times.count < Self.count else { return false }
    times.append(now)
    return true
  }
}
