/// How many values were observed between bounds.
package struct Histogram: Equatable, Sendable {
  /// The largest values of all cells but the last, which has no largest; in ascending order.
  package let bounds: [Double]
  /// The number of values in each cell, one cell more than there are bounds.
  package private(set) var counts: [UInt64]
  /// The sum of all values.
  package private(set) var sum = 0.0

  /// The number of values.
  package var count: UInt64 { counts.reduce(0, &+) }

  /// A histogram without values.
  ///
  /// - Parameter bounds: finite, in ascending order.
  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = [UInt64](repeating: 0, count: bounds.count + 1)
  }

  /// A histogram of values that were counted elsewhere.
  ///
  /// - Parameters:
  ///   - bounds: finite, in ascending order.
  ///   - counts: the number of values in each cell, one cell more than there are bounds.
  ///   - sum: the sum of all values.
  package init(bounds: [Double], counts: [UInt64], sum: Double) {
    precondition(counts.count == bounds.count + 1, "a histogram has one cell more than bounds")
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }

  /// The values that were observed since an earlier moment.
  ///
  /// - Parameter earlier: the histogram at that moment, with the same bounds.
  /// - Returns: the difference.
  package func since(_ earlier: Histogram) -> Histogram {
    Histogram(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 &- $1 }, sum: sum - earlier.sum)
  }

  /// The value that a share of the values does not exceed.
  ///
  /// Within a cell values are taken to be spread evenly, as Prometheus' `histogram_quantile` does.
  ///
  /// - Parameter share: from 0 to 1.
  /// - Returns: the value; nil without values.
  package func quantile(_ share: Double) -> Double? {
    let count = count
    guard count > 0 else { return nil }
    let rank = share * Double(count)
    var below = 0.0
    for (index, cell) in counts.enumerated() where cell > 0 {
      if below + Double(cell) >= rank || index == bounds.count {
        guard index < bounds.count else { return bounds.last }
        let start = index == 0 ? 0 : bounds[index - 1]
        return start + (bounds[index] - start) * (rank - below) / Double(cell)
      }
      below += Double(cell)
    }
    return bounds.last
  }

  /// Takes note of a value; of one that is not finite it takes none, as the sum would never be a number again.
  package mutating func observe(_ value: Double) {
    guard value.isFinite else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] &+= 1
    sum += value
  }
}
