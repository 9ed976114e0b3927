import Metrics

/// What the server counts.
///
/// None of it is on the way of an action: what is counted happens once a commit, or more rarely.
struct ServerMetrics: Sendable {
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

  /// Metrics of a backend.
  ///
  /// - Parameter factory: the backend; that which the program has given swift-metrics before it made the server.
  init(factory: any MetricsFactory = MetricsSystem.factory) {
    storeIsFailing = Gauge(label: "ribserver_store_failing", dimensions: [], factory: factory)
    commits = Counter(label: "ribserver_store_commits_total", dimensions: [], factory: factory)
    failedCommits = Counter(label: "ribserver_store_failed_commits_total", dimensions: [], factory: factory)
    commitTime = Metrics.Timer(label: "ribserver_store_commit_seconds", dimensions: [], factory: factory)
    commitSize = Recorder(
      label: "ribserver_store_commit_requests", dimensions: [], aggregate: true, factory: factory)
    wokenSessions = Counter(label: "ribserver_sessions_woken_total", dimensions: [], factory: factory)
    unreadableSessions = Counter(label: "ribserver_sessions_unreadable_total", dimensions: [], factory: factory)
    restedSessions = Counter(label: "ribserver_sessions_rested_total", dimensions: [], factory: factory)
    forgottenSessions = Counter(label: "ribserver_sessions_forgotten_total", dimensions: [], factory: factory)
    damagedSessions = Counter(label: "ribserver_sessions_damaged_total", dimensions: [], factory: factory)
    slowTransactions = Counter(label: "ribserver_slow_transactions_total", dimensions: [], factory: factory)
  }
}
