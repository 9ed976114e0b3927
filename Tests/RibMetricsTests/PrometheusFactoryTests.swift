import CoreMetrics
import RibMetrics
import Synchronization
import Testing

@Suite struct PrometheusFactoryTests {
  @Test func instruments_areWrittenUnderTheNamesOfPrometheus() {
    let factory = PrometheusFactory(buckets: ["db.query": [0.5]], help: ["orders": "Orders that were taken."])
    Counter(label: "orders", dimensions: [("kind", "new"), ("Über", "x")], factory: factory).increment(by: 3)
    FloatingPointCounter(label: "paid.total", dimensions: [], factory: factory).increment(by: 1.5)
    Timer(label: "db.query", dimensions: [], factory: factory).recordNanoseconds(250_000_000)
    Gauge(label: "queue-length", dimensions: [], factory: factory).record(7)
    let meter = Meter(label: "load", dimensions: [], factory: factory)
    meter.increment(by: 2)
    meter.decrement(by: 0.5)
    #expect(
      factory.text() == """
        # HELP db_query_seconds Counted by the program as db.query.
        # TYPE db_query_seconds histogram
        db_query_seconds_bucket{le="0.5"} 1
        db_query_seconds_bucket{le="+Inf"} 1
        db_query_seconds_sum 0.25
        db_query_seconds_count 1
        # HELP load Counted by the program as load.
        # TYPE load gauge
        load 1.5
        # HELP orders_total Orders that were taken.
        # TYPE orders_total counter
        orders_total{_ber="x",kind="new"} 3
        # HELP paid_total Counted by the program as paid.total.
        # TYPE paid_total counter
        paid_total 1.5
        # HELP queue_length Counted by the program as queue-length.
        # TYPE queue_length gauge
        queue_length 7

        """)
  }

  @Test func oneSeries_hasOneInstrument() {
    let factory = PrometheusFactory()
    let one = Counter(label: "a.b", dimensions: [("x", "1"), ("y", "2")], factory: factory)
    let other = Counter(label: "a-b", dimensions: [("y", "2"), ("x", "1")], factory: factory)
    one.increment()
    other.increment()
    #expect(factory.text().contains("\na_b_total{x=\"1\",y=\"2\"} 2\n"))
    // It is there until nobody has it any more.
    one.destroy()
    other.increment()
    #expect(factory.text().contains("\na_b_total{x=\"1\",y=\"2\"} 3\n"))
    other.destroy()
    #expect(factory.text().isEmpty)
  }

  /// To Prometheus a counter that falls is a process that was started anew.
  @Test func counter_neverFalls() {
    let factory = PrometheusFactory()
    let counter = Counter(label: "a", dimensions: [], factory: factory)
    counter.increment(by: 2)
    counter.increment(by: -1)
    #expect(factory.text().contains("\na_total 2\n"))
    counter.reset()
    #expect(factory.text().contains("\na_total 0\n"))
  }

  /// Which labels cannot be counted, and what is said of them.
  @Test(arguments: [
    ("", "a name needs a letter or a digit"), ("_.", "a name needs a letter or a digit"),
    ("parts.count", "Prometheus keeps names that end with _count for itself"),
    ("heap_bucket", "_bucket"), ("x.sum", "_sum"), ("build.info", "_info"), ("x.created", "_created"),
  ])
  func gaugeWithANameThatPrometheusKeeps_isReportedOnce(_ label: String, _ reason: String) {
    let reports = Mutex<[String]>([])
    let factory = PrometheusFactory { report in reports.withLock { $0.append(report) } }
    for _ in 0..<2 { Gauge(label: label, dimensions: [], factory: factory).record(1) }
    #expect(factory.text().isEmpty)
    let said = reports.withLock { $0 }
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("The metric \"\(label)\" is not counted: ") == true)
    #expect(said.first?.contains(reason) == true)
  }

  /// A counter gets `_total` behind its label, and is no part of another metric then.
  @Test func counter_mayBeCalledLikeAPart() {
    let factory = PrometheusFactory()
    Counter(label: "sessions.created", dimensions: [], factory: factory).increment()
    #expect(factory.text().contains("\nsessions_created_total 1\n"))
  }

  @Test func nameOfAnotherKind_isReported() {
    let reports = Mutex<[String]>([])
    let factory = PrometheusFactory { report in reports.withLock { $0.append(report) } }
    Counter(label: "a", dimensions: [], factory: factory).increment()
    Gauge(label: "a_total", dimensions: [], factory: factory).record(5)
    #expect(factory.text().hasSuffix("\na_total 1\n"))
    #expect(reports.withLock { $0 } == ["The metric \"a_total\" is not counted: a_total is a counter already."])
  }

  /// A dimension that a client chooses would take memory without end.
  @Test func setsOfDimensions_areBounded() {
    let reports = Mutex<[String]>([])
    let factory = PrometheusFactory(seriesLimit: 3) { report in reports.withLock { $0.append(report) } }
    for user in 0..<10 { Counter(label: "hits", dimensions: [("user", "\(user)")], factory: factory).increment() }
    #expect(factory.text().split(separator: "\n").count == 2 + 3)
    #expect(
      reports.withLock { $0 } == ["The metric \"hits\" is not counted: it has 3 sets of dimensions already."])
  }

  @Test func dimensions_becomeLabels() {
    let factory = PrometheusFactory()
    Recorder(
      label: "size", dimensions: [("le", "1"), ("__x", "2"), ("7", "3"), ("a", "4"), ("a", "5")], aggregate: false,
      factory: factory
    ).record(1)
    #expect(factory.text().hasSuffix("\nsize{_7=\"3\",_x=\"2\",a=\"5\",le_=\"1\"} 1\n"))
  }

  @Test func manyThreads_loseNothing() async {
    let factory = PrometheusFactory(buckets: ["t": [1]])
    await withDiscardingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            Counter(label: "c", dimensions: [], factory: factory).increment()
            Timer(label: "t", dimensions: [], factory: factory).recordSeconds(1)
          }
        }
      }
    }
    #expect(factory.text().contains("\nc_total 8000\n"))
    #expect(factory.text().contains("\nt_seconds_bucket{le=\"1\"} 8000\n"))
  }
}
