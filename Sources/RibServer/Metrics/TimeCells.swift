import RibMetrics

/// How many durations lay between bounds: a histogram in whole nanoseconds, to which an addition is enough.
struct TimeCells: Sendable {
  /// For durations of transactions and answers, in nanoseconds: from 0.1 ms to 10 s.
  static let short = PrometheusFactory.timeBuckets.map { UInt64($0 * 1e9) }
  /// For durations of connections: from a second to a day.
  static let long = [1, 10, 60, 300, 900, 3600, 14_400, 43_200, 86_400].map { (seconds: UInt64) in
    seconds * 1_000_000_000
  }

  /// The longest durations of all cells but the last, which has no longest.
  private let bounds: [UInt64]
  private var counts: [UInt64]
  private var sum: UInt64 = 0

  /// No durations.
  ///
  /// - Parameter bounds: the longest durations of the cells, in nanoseconds, in ascending order.
  init(_ bounds: [UInt64] = Self.short) {
    self.bounds = bounds
    counts = [UInt64](repeating: 0, count: bounds.count + 1)
  }

  /// The number of durations.
  var count: UInt64 { counts.reduce(0, &+) }

  /// Adds a duration.
  ///
  /// - Parameters:
  ///   - nanoseconds: the duration.
  ///   - times: how often.
  mutating func add(_ nanoseconds: UInt64, times: UInt64 = 1) {
    var cell = 0
    while cell < bounds.count, nanoseconds > bounds[cell] { cell += 1 }
    counts[cell] &+= times
    sum &+= nanoseconds &* times
  }

  /// Adds the durations of cells with the same bounds.
  mutating func add(_ other: TimeCells) {
    for cell in counts.indices { counts[cell] &+= other.counts[cell] }
    sum &+= other.sum
  }

  /// The durations that were added since an earlier moment.
  ///
  /// - Parameter earlier: the cells at that moment.
  /// - Returns: the difference.
  func since(_ earlier: TimeCells) -> TimeCells {
    var difference = self
    for cell in counts.indices { difference.counts[cell] &-= earlier.counts[cell] }
    difference.sum &-= earlier.sum
    return difference
  }

  /// The duration that a share of the durations does not exceed.
  ///
  /// Within a cell durations are taken to be spread evenly, as Prometheus' `histogram_quantile` does.
  ///
  /// - Parameter share: from 0 to 1.
  /// - Returns: nanoseconds; nil without durations.
  func quantile(_ share: Double) -> UInt64? { histogram.quantile(share).map { UInt64($0 * 1e9) } }

  /// The same in seconds.
  var histogram: Histogram {
    Histogram(bounds: bounds.map { Double($0) / 1e9 }, counts: counts, sum: Double(sum) / 1e9)
  }
}
