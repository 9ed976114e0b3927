import Metrics
import RibMetrics
import Synchronization

/// Hands what the loops of a server count to the backend that the program has chosen, every ten seconds: for one that sends metrics
/// somewhere, and does not ask for them.
///
/// Of histograms it is handed how many values there were, and their sum: counters whose names end with `_count` and `_sum`.
final class MetricsPublisher: Sendable {
  /// Nanoseconds between two times.
  private static let interval: UInt64 = 10_000_000_000

  private enum Instrument {
    case counter(Counter, last: UInt64)
    case floatingPoint(FloatingPointCounter, last: Double)
    case gauge(Gauge)
  }

  private struct Series: Hashable {
    let name: String
    let labels: [MetricFamily.Label]
    var dimensions: [(String, String)] { labels.map { ($0.name, $0.value) } }
  }

  private let factory: any MetricsFactory
  private let instruments = Mutex<[Series: Instrument]>([:])

  /// A publisher.
  ///
  /// - Parameter factory: the backend.
  init(_ factory: any MetricsFactory) { self.factory = factory }

  /// Publishes from now on.
  ///
  /// - Parameters:
  ///   - inspection: gathers the figures.
  ///   - environment: what makes the queue.
  /// - Returns: what goes on as long as somebody holds it.
  func begin(_ inspection: ServerInspection, _ environment: Environment) -> Ticker<Void> {
    Ticker("ribserver.publisher", environment, every: Self.interval, ()) { [self] _ in
      publish(inspection) {}
      return true
    }
  }

  /// Gathers figures, and hands them over.
  ///
  /// - Parameters:
  ///   - inspection: gathers them.
  ///   - done: called behind that.
  func publish(_ inspection: ServerInspection, _ done: @escaping @Sendable () -> Void) {
    inspection.gather { [self] figures, _ in
      publish(figures.families)
      done()
    }
  }

  /// Hands families over: what has been counted since they were last.
  ///
  /// - Parameter families: the figures.
  func publish(_ families: [MetricFamily]) {
    instruments.withLock { instruments in
      for family in families {
        for sample in family.samples {
          switch (family.kind, sample.value) {
          case (.counter, .count(let count)):
            add(count, to: Series(name: family.name, labels: sample.labels), &instruments)
          case (.counter, .number(let sum)):
            add(sum, to: Series(name: family.name, labels: sample.labels), &instruments)
          case (.gauge, .number(let value)): set(value, Series(name: family.name, labels: sample.labels), &instruments)
          case (.gauge, .count(let count)):
            set(Double(count), Series(name: family.name, labels: sample.labels), &instruments)
          case (_, .histogram(let histogram)):
            add(histogram.count, to: Series(name: family.name + "_count", labels: sample.labels), &instruments)
            add(histogram.sum, to: Series(name: family.name + "_sum", labels: sample.labels), &instruments)
          case (.histogram, _): break
          }
        }
      }
    }
  }

  private func add(_ count: UInt64, to series: Series, _ instruments: inout [Series: Instrument]) {
    var (counter, last): (Counter, UInt64)
    if case .counter(let known, let value)? = instruments[series] {
      (counter, last) = (known, value)
    } else {
      (counter, last) = (Counter(label: series.name, dimensions: series.dimensions, factory: factory), 0)
    }
    // Figures of a loop that hangs may be older than those before.
    if count > last { counter.increment(by: Int64(clamping: count - last)) }
    last = max(last, count)
    instruments[series] = .counter(counter, last: last)
  }

  private func add(_ sum: Double, to series: Series, _ instruments: inout [Series: Instrument]) {
    var (counter, last): (FloatingPointCounter, Double)
    if case .floatingPoint(let known, let value)? = instruments[series] {
      (counter, last) = (known, value)
    } else {
      (counter, last) = (
        FloatingPointCounter(label: series.name, dimensions: series.dimensions, factory: factory), 0
      )
    }
    if sum > last { counter.increment(by: sum - last) }
    last = max(last, sum)
    instruments[series] = .floatingPoint(counter, last: last)
  }

  private func set(_ value: Double, _ series: Series, _ instruments: inout [Series: Instrument]) {
    let gauge: Gauge
    if case .gauge(let known)? = instruments[series] {
      gauge = known
    } else {
      gauge = Gauge(label: series.name, dimensions: series.dimensions, factory: factory)
      instruments[series] = .gauge(gauge)
    }
    gauge.record(value)
  }
}
