import Metrics
import MetricsTestKit
import RibMetrics
import Testing

@testable import RibServer

@Suite struct MetricsPublisherTests {
  private static func families(_ count: UInt64, _ gauge: Double, _ times: [Double]) -> [MetricFamily] {
    var histogram = Histogram(bounds: [1])
    for time in times { histogram.observe(time) }
    return [
      MetricFamily("a_total", "A.", .counter, [.init([.init("app", "shop")], .count(count))]),
      MetricFamily("b", "B.", .gauge, [.init([], .number(gauge))]),
      MetricFamily("c_seconds", "C.", .histogram, [.init([], .histogram(histogram))]),
    ]
  }

  /// A backend is told what has been added since the last time, so that its counters say what the server's do.
  @Test func backend_isToldWhatIsNew() throws {
    let backend = TestMetrics()
    let publisher = MetricsPublisher(backend)
    publisher.publish(Self.families(5, 2, [0.5]))
    publisher.publish(Self.families(9, 1, [0.5, 2, 3]))
    let counter = try backend.expectCounter("a_total", [("app", "shop")])
    #expect(counter.values == [5, 4])
    #expect(try backend.expectGauge("b").values == [2, 1])
    #expect(try backend.expectCounter("c_seconds_count").values == [1, 2])
    // Of a loop that hangs there may be older figures.
    publisher.publish(Self.families(7, 1, [0.5]))
    publisher.publish(Self.families(10, 1, [0.5, 2, 3]))
    #expect(counter.totalValue == 10)
    #expect(try backend.expectCounter("c_seconds_count").totalValue == 3)
  }

  @Test func serverWithABackend_publishesItsFigures() async throws {
    try await withServer { server, _ in
      let inspection = try #require(server.inspection)
      let families = await withCheckedContinuation { continuation in
        inspection.gather { figures, _ in continuation.resume(returning: figures.families) }
      }
      let backend = TestMetrics()
      MetricsPublisher(backend).publish(families)
      #expect(try backend.expectGauge("ribserver_sessions", [("state", "awake")]).lastValue == 0)
      _ = try backend.expectCounter("ribserver_connections_accepted_total")
    }
  }
}
