import RibClient

/// What has become of actions, and how long it took.
struct LoadFigures {
  /// How long each action took that was answered, in microseconds.
  private var times: [Int] = []
  /// Actions that were refused.
  private(set) var refused = 0
  /// Actions that were answered and that the server has lost.
  private(set) var lost = 0
  /// Actions of which it is not known what became of them.
  private(set) var unknown = 0
  /// How often a client has come back.
  var returns = 0

  /// Takes note of an answer.
  ///
  /// - Parameter time: how long it took.
  mutating func answered(after time: Duration) { times.append(Int(time / .microseconds(1))) }

  /// Takes note of what has happened to a client.
  ///
  /// - Parameter events: in order.
  mutating func note(_ events: [ClientEvent]) {
    for event in events {
      switch event {
      case .refused: refused += 1
      case .lost(let count): lost += count
      case .outcomeUnknown: unknown += 1
      case .live, .view, .renewed, .outOfStep, .verified, .applied, .shared, .notice, .clients, .draining, .ended: break
      }
    }
  }

  /// Takes in another client's.
  ///
  /// - Parameter other: the client's figures.
  mutating func add(_ other: LoadFigures) {
    times += other.times
    refused += other.refused
    lost += other.lost
    unknown += other.unknown
    returns += other.returns
  }

  /// The figures on a line.
  ///
  /// - Parameter time: how long it all took.
  /// - Returns: the line.
  func text(over time: Duration) -> String {
    let sorted = times.sorted()
    let seconds = time / .seconds(1)
    let rate = seconds > 0 ? Int((Double(times.count) / seconds).rounded()) : 0
    return """
      \(Self.decimal(seconds, digits: 1)) s: \(times.count) actions, \(rate)/s; p50 \(Self.milliseconds(sorted, 0.5)) ms, \
      p99 \(Self.milliseconds(sorted, 0.99)) ms, longest \(Self.milliseconds(sorted, 1)) ms; \(refused) refused, \
      \(lost) lost, \(unknown) unknown, \(returns) returns
      """
  }

  /// The time that so many of all are within: the nearest rank.
  private static func milliseconds(_ sorted: [Int], _ part: Double) -> String {
    guard !sorted.isEmpty else { return "-" }
    let rank = max(Int((part * Double(sorted.count)).rounded(.up)), 1)
    return decimal(Double(sorted[rank - 1]) / 1000, digits: 2)
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    let scale = digits == 1 ? 10 : 100
    let number = Int((value * Double(scale)).rounded())
    let rest = String(number % scale)
    return "\(number / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
