import RibMetrics
import Testing

@Suite struct HistogramTests {
  @Test func value_isCountedInTheFirstCellThatHoldsIt() {
    var histogram = Histogram(bounds: [1, 2])
    for value in [-1, 0, 1, 1.5, 2, 2.1] { histogram.observe(value) }
    #expect(histogram.counts == [3, 2, 1])
    #expect(histogram.count == 6)
    #expect(histogram.sum == 5.6)
  }

  /// The sum would never be a number again.
  @Test func valueThatIsNotFinite_isNotCounted() {
    var histogram = Histogram(bounds: [1])
    for value in [Double.nan, .infinity, -.infinity] { histogram.observe(value) }
    #expect(histogram == Histogram(bounds: [1]))
  }

  @Test func quantile_isInterpolated_asPrometheusDoes() {
    let empty = Histogram(bounds: [1, 2])
    #expect(empty.quantile(0.5) == nil)
    let spread = Histogram(bounds: [1, 2, 4], counts: [0, 10, 10, 0], sum: 0)
    #expect(spread.quantile(0.25) == 1.5)
    #expect(spread.quantile(0.75) == 3)
    // A value beyond the last bound is told as that bound.
    #expect(Histogram(bounds: [1], counts: [0, 3], sum: 9).quantile(0.99) == 1)
    #expect(spread.since(Histogram(bounds: [1, 2, 4], counts: [0, 10, 0, 0], sum: 0)).quantile(0.5) == 3)
  }
}
