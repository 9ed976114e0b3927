import Metrics
import RibMetrics

/// Metrics of an issuer's keys: how many there are, and how loads of them have ended.
struct KeyMetrics: Sendable {
  private let keys: Gauge
  private let skipped: Gauge
  private let lastSuccess: Gauge
  private let succeeded: Counter
  private let failed: Counter

  /// Metrics of a backend.
  ///
  /// - Parameter factory: the backend; that which the program has given swift-metrics before.
  init(factory: any MetricsFactory = MetricsSystem.factory) {
    let prometheus = factory as? PrometheusFactory
    func gauge(_ label: String, _ help: String) -> Gauge {
      prometheus?.describe(label, help)
      return Gauge(label: label, dimensions: [], factory: factory)
    }
    keys = gauge("ribserver_keys", "Keys that tokens are checked with.")
    skipped = gauge("ribserver_keys_skipped", "Keys of the issuer's set that tokens cannot be checked with.")
    lastSuccess = gauge(
      "ribserver_keys_last_success_timestamp_seconds", "When the keys were loaded last, in seconds since 1970.")
    let label = "ribserver_keys_fetches_total"
    prometheus?.describe(label, "Loads of the issuer's keys.")
    succeeded = Counter(label: label, dimensions: [("outcome", "succeeded")], factory: factory)
    failed = Counter(label: label, dimensions: [("outcome", "failed")], factory: factory)
  }

  /// Counts a load that has succeeded, and says which keys there are since.
  ///
  /// - Parameters:
  ///   - set: the keys, if they are new; nil if they are those from before.
  ///   - now: seconds since 1970.
  func noteLoad(_ set: KeySet?, at now: Int) {
    succeeded.increment()
    lastSuccess.record(now)
    guard let set else { return }
    keys.record(set.count)
    skipped.record(set.skipped.count)
  }

  /// Counts a load that has failed; the keys stay those from before.
  func noteFailure() { failed.increment() }
}
