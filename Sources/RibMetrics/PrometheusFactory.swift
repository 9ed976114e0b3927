public import CoreMetrics
import Synchronization

/// Keeps the metrics of a program, and writes them as Prometheus reads them.
///
/// A program hands it to swift-metrics once, before it makes a server:
///
///     let metrics = PrometheusFactory()
///     MetricsSystem.bootstrap(metrics)
///
/// What riblets and libraries count by swift-metrics is among what a server then shows at `/metrics` of its admin listener; a program
/// without one shows ``text()`` itself.
///
/// A label becomes a name of Prometheus: characters other than letters, digits and underscores become underscores, counters end with
/// `_total`, timers with `_seconds`. A metric without a name that Prometheus would take, or of which there are too many, is not counted, and
/// that is reported once.
public final class PrometheusFactory: MetricsFactory {
  /// A time series, and how often it was asked for.
  private struct Series {
    let instrument: any Instrument
    var useCount: Int
  }

  private struct Family {
    let label: String
    let kind: MetricFamily.Kind
    var series: [[MetricFamily.Label]: Series] = [:]
  }

  private struct Registry {
    var families: [String: Family] = [:]
    /// Where an instrument is.
    var places: [ObjectIdentifier: (name: String, labels: [MetricFamily.Label])] = [:]
    /// The labels of which was reported that they are not counted.
    var refused: Set<String> = []
  }

  /// How many metrics that are not counted are reported.
  private static let reportLimit = 1000

  private let registry = Mutex(Registry())
  private let buckets: [String: [Double]]
  private let help: Mutex<[String: String]>
  private let seriesLimit: Int
  private let report: @Sendable (String) -> Void

  /// A factory without metrics.
  ///
  /// - Parameters:
  ///   - buckets: the bounds of the cells of histograms, by label: in seconds for timers, finite and in ascending order. Other timers have cells
  ///     from 0.1 ms to 10 s, other recorders from 1 to 10⁶.
  ///   - help: what metrics mean, by label.
  ///   - seriesLimit: how many sets of dimensions a metric may have: each takes memory until the process ends.
  ///   - report: told why a metric is not counted, once for each label.
  public init(
    buckets: [String: [Double]] = [:], help: [String: String] = [:], seriesLimit: Int = 1000,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.buckets = buckets
    self.help = Mutex(help)
    self.seriesLimit = seriesLimit
    self.report = report
  }

  /// Sets what a metric means, unless the program has said so itself.
  ///
  /// - Parameters:
  ///   - label: what the program calls the metric.
  ///   - help: one sentence for a person.
  package func describe(_ label: String, _ help: String) {
    self.help.withLock { if $0[label] == nil { $0[label] = help } }
  }

  // MARK: Instruments

  /// Makes a counter, or finds it.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counter(label, dimensions)
  }

  /// Makes a counter, or finds it.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    counter(label, dimensions)
  }

  /// Makes a gauge, or finds it.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    instrument(label, "", .gauge, dimensions) { GaugeInstrument() }
  }

  /// Makes a histogram, or a gauge if nothing is to be aggregated, or finds it.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return instrument(label, "", .gauge, dimensions) { GaugeInstrument() } }
    return instrument(label, "", .histogram, dimensions) {
      HistogramInstrument(bounds: buckets[label] ?? Self.countBuckets)
    }
  }

  /// Makes a histogram of seconds, or finds it.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    instrument(label, "_seconds", .histogram, dimensions) {
      HistogramInstrument(bounds: buckets[label] ?? Self.timeBuckets)
    }
  }

  /// Forgets a time series once everybody is done with it who has asked for it.
  public func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
  /// Forgets a time series once everybody is done with it who has asked for it.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }
  /// Forgets a time series once everybody is done with it who has asked for it.
  public func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
  /// Forgets a time series once everybody is done with it who has asked for it.
  public func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
  /// Forgets a time series once everybody is done with it who has asked for it.
  public func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

  private func counter(_ label: String, _ dimensions: [(String, String)]) -> CountingInstrument {
    instrument(label, "_total", .counter, dimensions) { CountingInstrument() }
  }

  /// The instrument of a time series: the same for all that ask for it.
  ///
  /// - Parameters:
  ///   - label: what the program calls the metric.
  ///   - suffix: what its name ends with.
  ///   - kind: its kind.
  ///   - dimensions: what tells the time series from others.
  ///   - make: makes the instrument.
  /// - Returns: the instrument; one that nobody reads if the metric cannot be counted.
  private func instrument<New: Instrument>(
    _ label: String, _ suffix: String, _ kind: MetricFamily.Kind, _ dimensions: [(String, String)], _ make: () -> New
  ) -> New {
    let labels = MetricName.labels(dimensions)
    do throws(MetricError) {
      let name = try MetricName.family(label, suffix: suffix)
      return try registry.withLock { registry throws(MetricError) in
        var family = registry.families[name] ?? Family(label: label, kind: kind)
        guard family.kind == kind else {
          throw MetricError(label: label, reason: "\(name) is a \(family.kind.rawValue) already")
        }
        if let known = family.series[labels]?.instrument {
          guard let known = known as? New else {
            throw MetricError(label: label, reason: "\(name) is of another kind already")
          }
          registry.families[name]?.series[labels]?.useCount += 1
          return known
        }
        guard family.series.count < seriesLimit else {
          throw MetricError(label: label, reason: "it has \(seriesLimit) sets of dimensions already")
        }
        let new = make()
        family.series[labels] = Series(instrument: new, useCount: 1)
        registry.families[name] = family
        registry.places[ObjectIdentifier(new)] = (name, labels)
        return new
      }
    } catch {
      let isNews = registry.withLock { $0.refused.count < Self.reportLimit && $0.refused.insert(label).inserted }
      if isNews { report("\(error)") }
      return make()
    }
  }

  /// Forgets a time series once all who have asked for it are done with it.
  private func forget(_ handler: AnyObject) {
    registry.withLock { registry in
      guard let (name, labels) = registry.places[ObjectIdentifier(handler)],
        let count = registry.families[name]?.series[labels]?.useCount
      else { return }
      guard count == 1 else {
        registry.families[name]?.series[labels]?.useCount = count - 1
        return
      }
      registry.places[ObjectIdentifier(handler)] = nil
      registry.families[name]?.series[labels] = nil
      if registry.families[name]?.series.isEmpty == true { registry.families[name] = nil }
    }
  }

  // MARK: Reading

  /// The metrics in version 0.0.4 of the text format, for an answer with the Content-Type `text/plain; version=0.0.4; charset=utf-8`.
  public func text() -> String { String(decoding: PrometheusText.bytes(of: families()), as: UTF8.self) }

  /// All metrics, in the order of their names.
  package func families() -> [MetricFamily] {
    let (families, help) = (registry.withLock { $0.families }, help.withLock { $0 })
    return families.sorted { $0.key < $1.key }.map { name, family in
      let samples = family.series.map { MetricFamily.Sample($0.key, $0.value.instrument.value) }
      return MetricFamily(
        name, help[family.label] ?? "Counted by the program as \(family.label).", family.kind,
        samples.sorted { $0.labels.lexicographicallyPrecedes($1.labels) })
    }
  }

  // MARK: Bounds

  /// For times, in seconds.
  package static let timeBuckets: [Double] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// For counts of things.
  package static let countBuckets: [Double] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000,
  ]
}
