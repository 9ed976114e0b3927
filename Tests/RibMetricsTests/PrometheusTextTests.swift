import RibMetrics
import Testing

@Suite struct PrometheusTextTests {
  private static func text(_ families: MetricFamily...) -> String {
    String(decoding: PrometheusText.bytes(of: families), as: UTF8.self)
  }

  @Test func families_areWrittenAsPrometheusReadsThem() {
    let text = Self.text(
      MetricFamily(
        "requests_total", "Requests.", .counter,
        [.init([.init("method", "GET"), .init("status", "200")], .count(18_446_744_073_709_551_615))]),
      MetricFamily("temperature_celsius", "How warm it is.", .gauge, [.init([], .number(-0.5))]))
    #expect(
      text == """
        # HELP requests_total Requests.
        # TYPE requests_total counter
        requests_total{method="GET",status="200"} 18446744073709551615
        # HELP temperature_celsius How warm it is.
        # TYPE temperature_celsius gauge
        temperature_celsius -0.5

        """)
  }

  @Test func histogram_countsAllThatIsAtMostAsLarge() {
    var histogram = Histogram(bounds: [0.1, 1])
    for value in [0.05, 0.1, 0.25, 7, .infinity, .nan] { histogram.observe(value) }
    let text = Self.text(
      MetricFamily("wait_seconds", "Waits.", .histogram, [.init([.init("loop", "0")], .histogram(histogram))]))
    #expect(
      text == """
        # HELP wait_seconds Waits.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{loop="0",le="0.1"} 2
        wait_seconds_bucket{loop="0",le="1"} 3
        wait_seconds_bucket{loop="0",le="+Inf"} 4
        wait_seconds_sum{loop="0"} 7.4
        wait_seconds_count{loop="0"} 4

        """)
  }

  /// Text comes from programs, and from clients by way of programs.
  @Test func text_cannotEndItsLineOrItsValue() {
    let text = Self.text(
      MetricFamily(
        "a_total", "One \"line\"\nand a \\.", .counter, [.init([.init("x", "a\"b\\c\nd\u{85}é")], .count(1))]))
    #expect(
      text
        == "# HELP a_total One \"line\"\\nand a \\\\.\n# TYPE a_total counter\na_total{x=\"a\\\"b\\\\c\\nd\u{85}é\"} 1\n"
    )
  }

  @Test(
    arguments: [
      (1, "1"), (0.1, "0.1"), (-0.0, "0"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e21, "1e+21"),
      (1e-300, "1e-300"),
    ] as [(Double, String)])
  func number_isWrittenAsGoReadsIt(_ number: Double, _ text: String) {
    #expect(
      Self.text(MetricFamily("a", "A.", .gauge, [.init([], .number(number))])).hasSuffix("\na \(text)\n"))
  }

  /// Prometheus refuses a text with two families of one name, and everything in it.
  @Test func ofTwoFamiliesWithOneName_theFirstIsWritten() {
    let one = MetricFamily("a_total", "First.", .counter, [.init([], .count(1))])
    let other = MetricFamily("a_total", "Second.", .counter, [.init([], .count(2))])
    #expect(Self.text(one, other) == Self.text(one))
  }

  @Test func familyWithoutSamples_isNotWritten() {
    #expect(Self.text(MetricFamily("a_total", "A.", .counter, [])).isEmpty)
  }
}
