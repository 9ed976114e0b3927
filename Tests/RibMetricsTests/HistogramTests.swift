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
}
