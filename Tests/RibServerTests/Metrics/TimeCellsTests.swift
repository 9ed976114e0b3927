import RibMetrics
import Testing

@testable import RibServer

@Suite struct TimeCellsTests {
  @Test func durations_becomeAHistogramInSeconds() {
    var cells = TimeCells([1_000_000_000, 2_000_000_000])
    cells.add(1_000_000_000)
    cells.add(1_000_000_001, times: 3)
    cells.add(500_000_000_000)
    var other = TimeCells([1_000_000_000, 2_000_000_000])
    other.add(0)
    cells.add(other)
    #expect(cells.count == 6)
    #expect(cells.histogram == Histogram(bounds: [1, 2], counts: [2, 3, 1], sum: 504.000000003))
  }
}
