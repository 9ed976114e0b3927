import CoreMetrics
import Synchronization

/// The value of a time series, which the program changes by a handler of swift-metrics.
protocol Instrument: AnyObject, Sendable {
  /// Its value now.
  var value: MetricFamily.Value { get }
}

/// A counter of the program, by whole numbers or by fractions: what would make it fall is ignored.
final class CountingInstrument: Instrument, CounterHandler, FloatingPointCounterHandler {
  private let total = Mutex(0.0)
  private let wholeTotal = Atomic<Int64>(0)

  var value: MetricFamily.Value {
    let fraction = total.withLock { $0 }
    let whole = wholeTotal.load(ordering: .relaxed)
    return fraction == 0 ? .count(UInt64(max(whole, 0))) : .number(fraction + Double(whole))
  }

  func increment(by amount: Int64) {
    // To Prometheus a count that falls is a process that was started anew.
    if amount > 0 { wholeTotal.wrappingAdd(amount, ordering: .relaxed) }
  }

  func increment(by amount: Double) {
    if amount > 0, amount.isFinite { total.withLock { $0 += amount } }
  }

  func reset() {
    total.withLock { $0 = 0 }
    wholeTotal.store(0, ordering: .relaxed)
  }
}

/// A gauge, or what swift-metrics calls a meter, or a recorder that does not aggregate: the value that was set last.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
  private let quantity = Mutex(0.0)

  var value: MetricFamily.Value { .number(quantity.withLock { $0 }) }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { quantity.withLock { $0 = value } }
  func increment(by amount: Double) { quantity.withLock { $0 += amount } }
  func decrement(by amount: Double) { quantity.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
}

/// A recorder that aggregates, or a timer: how many values were at most as large as each bound.
final class HistogramInstrument: Instrument, RecorderHandler, TimerHandler {
  private let histogram: Mutex<Histogram>

  /// A histogram without values.
  ///
  /// - Parameter bounds: the upper bounds of its buckets, the smallest first.
  init(bounds: [Double]) { histogram = Mutex(Histogram(bounds: bounds)) }

  var value: MetricFamily.Value { .histogram(histogram.withLock { $0 }) }

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { histogram.withLock { $0.observe(value) } }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
