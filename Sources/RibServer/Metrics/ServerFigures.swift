import RibMetrics
import Wire

/// The figures of a server at one moment: what its loops have counted together, and what is there.
struct ServerFigures: Sendable {
  /// The sum of what all loops have counted.
  private(set) var stats = LoopStats()
  /// How late jobs were, by the loop.
  private let lags: [TimeCells]
  private var connections: [Connection.Kind: Int] = [:]
  private(set) var awakeCount = 0
  let sleepingCount: Int
  private let appNames: [String]

  /// The figures of a server.
  ///
  /// - Parameters:
  ///   - loops: those of its loops.
  ///   - sleepingCount: the number of sessions that rest and have a client connected.
  ///   - appNames: the names of its apps, in the order of their numbers.
  init(of loops: [LoopFigures], sleepingCount: Int, appNames: [String]) {
    lags = loops.map(\.stats.lag)
    self.sleepingCount = sleepingCount
    self.appNames = appNames
    stats.makeRoom(forApps: appNames.count)
    for loop in loops {
      stats.add(loop.stats)
      connections.merge(loop.connections, uniquingKeysWith: +)
      awakeCount += loop.sessionCount
    }
  }

  /// How late jobs were, on all loops together.
  var lag: TimeCells {
    var sum = TimeCells()
    for lag in lags { sum.add(lag) }
    return sum
  }

  /// Actions of all apps that were applied, and those that were refused.
  var actionCounts: (applied: UInt64, refused: UInt64) {
    stats.apps.reduce((0, 0)) { sum, app in (sum.0 &+ app[.applied], sum.1 &+ app.refused.values.reduce(0, &+)) }
  }

  /// The number of open connections of a kind.
  subscript(_ kind: Connection.Kind) -> Int { connections[kind] ?? 0 }

  /// The number of effects that run.
  var runningEffectCount: Int {
    stats.apps.reduce(0) { sum, app in
      sum
        + Int(
          clamping: app[.effectsStarted] &- app[.effectsFinished] &- app[.effectsFailed] &- app[.effectsCancelled])
    }
  }

  // MARK: Families

  /// The figures as metrics.
  var families: [MetricFamily] { ofConnections + ofRequests + ofSessions + ofActions + ofLoops }

  private var ofConnections: [MetricFamily] {
    [
      gauge("ribserver_connections", "Open connections, by what they carry.", "transport") {
        Connection.Kind.allCases.map { ($0.rawValue, Double(self[$0])) }
      },
      counter("ribserver_connections_accepted_total", "Connections that were accepted.", stats[.accepted]),
      counter(
        "ribserver_connections_refused_total",
        "Connections that were one too many: answered 503 or, if too many wait for that as well, dropped.", "reason",
        [
          ("limit", stats[.overLimit]), ("address", stats[.overAddressLimit]), ("dropped", stats[.dropped]),
        ]),
      counter(
        "ribserver_connections_ended_total",
        "Connections that have ended; the reason is that of a bye, if one was said.",
        "reason", sorted(stats.endedConnections)),
      MetricFamily(
        "ribserver_connection_duration_seconds", "How long connections lasted, by what they carried.", .histogram,
        Connection.Kind.allCases.compactMap { kind in
          stats.connectionTimes[kind].map { Self.sample(["transport": kind.rawValue], .histogram($0.histogram)) }
        }),
      counter("ribserver_received_bytes_total", "Bytes that were received from clients.", stats[.received]),
      counter("ribserver_sent_bytes_total", "Bytes that were sent to clients.", stats[.sent]),
      counter(
        "ribserver_pauses_total",
        "How often a connection was not read from for a while: as it was too fast, does not read itself, or waits for too many commits.",
        "reason",
        [
          ("rate", stats[.pausedByRate]), ("reader", stats[.pausedByReader]), ("commit", stats[.pausedByCommit]),
        ]),
    ]
  }

  private var ofRequests: [MetricFamily] {
    [
      counter(
        "ribserver_requests_refused_total", "Requests that were refused before anybody looked at what they ask for.",
        "reason", sorted(stats.refusedRequests)),
      MetricFamily(
        "http_server_request_duration_seconds",
        "From the head of a request to its answer, but for those that become a WebSocket or a stream of events.",
        .histogram,
        stats.requestTimes.sorted { $0.key < $1.key }.map { kind, times in
          Self.sample(
            [
              "http_request_method": kind.method, "http_route": kind.route,
              "http_response_status_code": "\(kind.status)",
            ], .histogram(times.histogram))
        }),
      MetricFamily(
        "ribserver_authentications_total", "What the authenticator has said of credentials, by what the client wanted.",
        .counter,
        stats.authentications.sorted { ($0.key.purpose, $0.key.outcome) < ($1.key.purpose, $1.key.outcome) }.map {
          Self.sample(["purpose": $0.key.purpose, "outcome": $0.key.outcome], .count($0.value))
        }),
      histogram(
        "ribserver_authentication_duration_seconds", "How long the authenticator took to answer.",
        stats.authenticationTimes),
    ]
  }

  private var ofSessions: [MetricFamily] {
    [
      gauge("ribserver_sessions", "Sessions in memory, and sessions at rest with a client connected.", "state") {
        [("awake", Double(awakeCount)), ("asleep_connected", Double(sleepingCount))]
      },
      byApp("ribserver_sessions_started_total", "Sessions that were begun.", [([:], .started)]),
      byApp(
        "ribserver_sessions_ended_total", "Sessions that have ended for good.",
        [
          (["reason": "goodbye"], .endedByGoodbye), (["reason": "expired"], .endedByAbsence),
          (["reason": "failed"], .endedByFailure), (["reason": "dismissed"], .endedByDismissal),
        ]),
      counter(
        "ribserver_sessions_moved_total", "Sessions that have left this process for another.", stats[.moved]),
      counter(
        "ribserver_resumes_total", "Clients that came back, and how they were brought up to date.", "outcome",
        [
          ("patches", stats[.resumedWithPatches]), ("snapshot", stats[.resumedWithSnapshot]),
          ("refused", stats[.refusedResumes]),
        ]),
      counter(
        "ribserver_snapshots_total",
        "Views that were sent whole: to a new client, to one that came back, to one that did not read or has asked for it.",
        "reason",
        [
          ("start", stats[.snapshotsAtStart]), ("resume", stats[.snapshotsForResumes]),
          ("overdue", stats[.overdueSnapshots]),
        ]),
    ]
  }

  private var ofActions: [MetricFamily] {
    [
      MetricFamily(
        "ribserver_actions_total", "Actions of clients, by what has become of them.", .counter,
        apps.flatMap { name, app in
          let outcomes = [("applied", app[.applied]), ("repeated", app[.repeated])]
          let refusals = Nack.Code.allCases.map { ($0.rawValue, app.refused[$0] ?? 0) }
          return (outcomes + refusals).map { Self.sample(["app": name, "outcome": $0.0], .count($0.1)) }
        }),
      MetricFamily(
        "ribserver_transaction_duration_seconds",
        "How long a loop was busy with an action, or with what an effect has sent: reducers, view, patch.", .histogram,
        apps.map { Self.sample(["app": $0.name], .histogram($0.figures.transactions.histogram)) }),
      histogram(
        "ribserver_answer_duration_seconds",
        "From the moment at which an action was read to that at which its answer may be sent.", stats.answerTimes),
      byApp(
        "ribserver_patch_bytes_total", "Bytes of patches, before they are framed or compressed.", [([:], .patchBytes)]),
      gauge("ribserver_effects_running", "Effects that run.", Double(runningEffectCount)),
      byApp(
        "ribserver_effects_total", "Effects that have ended.",
        [
          (["outcome": "finished"], .effectsFinished), (["outcome": "failed"], .effectsFailed),
          (["outcome": "cancelled"], .effectsCancelled),
        ]),
    ]
  }

  private var ofLoops: [MetricFamily] {
    [
      MetricFamily(
        "ribserver_loop_lag_seconds",
        "How long a job waited for its loop, ten times a second: how saturated the loop is.",
        .histogram, lags.enumerated().map { Self.sample(["loop": "\($0.offset)"], .histogram($0.element.histogram)) })
    ]
  }

  // MARK: Making families

  /// The counts of each app, under its name; those of apps that are not there any more under `other`.
  private var apps: [(name: String, figures: LoopStats.OfApp)] {
    stats.apps.enumerated().map { (appNames.indices ~= $0.offset ? appNames[$0.offset] : "other", $0.element) }
  }

  private func byApp(
    _ name: String, _ help: String, _ counts: [(labels: KeyValuePairs<String, String>, count: LoopStats.AppCount)]
  ) -> MetricFamily {
    MetricFamily(
      name, help, .counter,
      apps.flatMap { app, figures in
        counts.map { labels, count in
          MetricFamily.Sample(
            [MetricFamily.Label("app", app)] + labels.map { MetricFamily.Label($0.key, $0.value) },
            .count(figures[count]))
        }
      })
  }

  private func counter(_ name: String, _ help: String, _ count: UInt64) -> MetricFamily {
    MetricFamily(name, help, .counter, [Self.sample([:], .count(count))])
  }

  private func counter(
    _ name: String, _ help: String, _ label: String, _ counts: [(String, UInt64)]
  ) -> MetricFamily {
    MetricFamily(name, help, .counter, counts.map { Self.sample([label: $0.0], .count($0.1)) })
  }

  private func gauge(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
    MetricFamily(name, help, .gauge, [Self.sample([:], .number(value))])
  }

  private func gauge(
    _ name: String, _ help: String, _ label: String, _ values: () -> [(String, Double)]
  ) -> MetricFamily {
    MetricFamily(name, help, .gauge, values().map { Self.sample([label: $0.0], .number($0.1)) })
  }

  private func histogram(_ name: String, _ help: String, _ times: TimeCells) -> MetricFamily {
    MetricFamily(name, help, .histogram, [Self.sample([:], .histogram(times.histogram))])
  }

  private static func sample(
    _ labels: KeyValuePairs<String, String>, _ value: MetricFamily.Value
  ) -> MetricFamily.Sample {
    MetricFamily.Sample(labels.map { MetricFamily.Label($0.key, $0.value) }, value)
  }

  private func sorted(_ counts: [String: UInt64]) -> [(String, UInt64)] { counts.sorted { $0.key < $1.key } }
}

extension LoopStats.RequestKind: Comparable {
  static func < (one: Self, other: Self) -> Bool {
    (one.route, one.method, one.status) < (other.route, other.method, other.status)
  }
}
