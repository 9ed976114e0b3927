import Metrics
import RibMetrics

/// The metrics that the server counts by swift-metrics, in whatever backend the program has chosen, and for its own `/metrics`.
///
/// None of it is on the way of an action: what is counted happens once a commit, or more rarely. All that happens more often is in
/// ``LoopStats``.
struct ServerMetrics: Sendable {
  /// Keeps them for `/metrics`.
  let prometheus: PrometheusFactory
  /// A backend that does not show what the server keeps, and is to be handed it; nil if there is none.
  let publisher: MetricsPublisher?
  /// 1 while the session store fails and sessions go on in memory, otherwise 0.
  let storeIsFailing: Gauge
  /// Commits of the store.
  let commits: Counter
  /// Commits that failed.
  let failedCommits: Counter
  /// How long a commit takes.
  let commitTime: Metrics.Timer
  /// How many requests a commit serves.
  let commitSize: Recorder
  /// Sessions that came back from the store.
  let wokenSessions: Counter
  /// Sessions with a state that the app could not read when they were to come back.
  let unreadableSessions: Counter
  /// Sessions that left memory because nothing happened in them.
  let restedSessions: Counter
  /// Sessions that were forgotten because no client came back.
  let forgottenSessions: Counter
  /// Sessions that were to be forgotten and could not be, because the store is damaged there.
  let damagedSessions: Counter
  /// Transactions that took ten milliseconds or more.
  let slowTransactions: Counter
  /// Activities during which the process had died before: found in the flight recorder at the start.
  let foundCrashes: Counter
  /// 1 if the settings could be read when they were to be reloaded last, or at the start; otherwise 0.
  private let lastReloadSucceeded: Gauge
  /// When they could be read last, in seconds since 1970.
  private let lastReloadTime: Gauge
  /// Recordings of sessions that were removed because they were too old, or too much.
  let removedRecordings: Counter

  /// Metrics of a backend.
  ///
  /// - Parameter factory: the backend; that which the program has given swift-metrics before it made the server. If it is no
  ///   ``/RibMetrics/PrometheusFactory``, the metrics are kept in one as well.
  init(factory: any MetricsFactory = MetricsSystem.factory) {
    let own = factory as? PrometheusFactory
    let prometheus = own ?? PrometheusFactory()
    self.prometheus = prometheus
    publisher = own != nil || factory is NOOPMetricsHandler ? nil : MetricsPublisher(factory)
    let factory = own == nil ? MultiplexMetricsHandler(factories: [factory, prometheus]) : factory
    func counter(_ label: String, _ help: String) -> Counter {
      prometheus.describe(label, help)
      return Counter(label: label, dimensions: [], factory: factory)
    }
    prometheus.describe("ribserver_store_failing", "1 while the session store fails, otherwise 0.")
    storeIsFailing = Gauge(label: "ribserver_store_failing", dimensions: [], factory: factory)
    storeIsFailing.record(0)
    commits = counter("ribserver_store_commits_total", "Commits of the session store.")
    failedCommits = counter("ribserver_store_failed_commits_total", "Commits that failed.")
    prometheus.describe("ribserver_store_commit_seconds", "How long a commit took.")
    commitTime = Metrics.Timer(label: "ribserver_store_commit_seconds", dimensions: [], factory: factory)
    prometheus.describe("ribserver_store_commit_requests", "How many requests a commit has served.")
    commitSize = Recorder(
      label: "ribserver_store_commit_requests", dimensions: [], aggregate: true, factory: factory)
    wokenSessions = counter("ribserver_sessions_woken_total", "Sessions that came back from the store.")
    unreadableSessions = counter(
      "ribserver_sessions_unreadable_total", "Sessions with a state that the app could not read.")
    restedSessions = counter(
      "ribserver_sessions_rested_total", "Sessions that left memory as nothing happened in them.")
    forgottenSessions = counter(
      "ribserver_sessions_forgotten_total", "Sessions that were forgotten in the store as no client came back.")
    damagedSessions = counter(
      "ribserver_sessions_damaged_total",
      "Sessions that were to be forgotten and could not be, as the store is damaged there.")
    slowTransactions = counter(
      "ribserver_slow_transactions_total", "Transactions that took ten milliseconds or more.")
    let gauge = { (label: String, help: String) in
      prometheus.describe(label, help)
      return Gauge(label: label, dimensions: [], factory: factory)
    }
    lastReloadSucceeded = gauge(
      "ribserver_config_last_reload_successful",
      "1 if the settings could be read when they were to be reloaded last, or at the start, otherwise 0.")
    lastReloadTime = gauge(
      "ribserver_config_last_reload_success_timestamp_seconds",
      "When the settings could be read last, in seconds since 1970.")
    foundCrashes = counter(
      "ribserver_crashes_found_total", "Activities during which the process had died before, found at the start.")
    removedRecordings = counter(
      "ribserver_recordings_removed_total", "Recordings that were removed, as too old or too much.")
  }

  /// Takes note that settings are in force which could be read.
  ///
  /// - Parameter now: seconds since 1970.
  func noteReload(at now: Int) {
    lastReloadSucceeded.record(1)
    lastReloadTime.record(now)
  }

  /// Takes note that settings could not be read.
  func noteFailedReload() { lastReloadSucceeded.record(0) }
}
