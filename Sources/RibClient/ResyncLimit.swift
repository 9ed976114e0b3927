/// How often a client may ask for the whole view: six times in any minute.
///
/// Without a limit, a client whose patches never fit would ask for ever.
struct ResyncLimit {
  /// How many requests are allowed within ``span``.
  static let count = 6
  /// How many milliseconds a request counts for.
  static let span = 60_000

  private var times: [Int] = []

  /// Asks for permission to send another request.
  ///
  /// - Parameter now: milliseconds of a clock that does not go back.
  /// - Returns: whether the request is allowed; if not, it does not count.
  mutating func take(at now: Int) -> Bool {
    times.removeAll { now - $0 >= Self.span }
    guard times.count < Self.count else { return false }
    times.append(now)
    return true
  }
}
