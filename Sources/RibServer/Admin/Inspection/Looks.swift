import RibMetrics
import Wire

/// The looks at a server that go on, and what the last one has seen.
struct Looks: Sendable {
  /// A session that somebody looks at.
  struct Watched: Sendable {
    let watch: SessionWatch
    /// How many look at it.
    var count: Int
  }

  /// The sessions that somebody looks at.
  var watched: [ExactString: Watched] = [:]
  /// How many look how long riblets take.
  var readerCount = 0
  /// Since when riblets are timed, in seconds since 1970.
  var bookStart = 0
  /// How many searches were begun: for tests, which want to know that none is.
  var searchCount = 0
  /// Searches that wait for the one that goes on; nil if none goes on.
  var waitingSearches: [@Sendable () -> Void]?
  /// The figures of the last look; nil before that.
  var last: Moment?
  /// The samples of the last five minutes.
  var samples: [OverviewSample] = []
  /// The number of samples since the server's start.
  var sampleCount = 0

  /// The counts of a moment, from which those of the next one are taken.
  struct Moment: Sendable {
    /// When it was, in nanoseconds of the monotonic clock.
    var time: UInt64
    var overview: ServerOverview
    var applied: UInt64
    var refused: UInt64
    var answers: TimeCells
    var lag: TimeCells
    /// How long commits took; nil before the first one.
    var commits: Histogram?
    /// Seconds of processor time.
    var processor: Double
  }

  /// Makes a sample of what has happened since the last moment, and keeps it.
  ///
  /// - Parameter moment: the present one.
  mutating func take(_ moment: Moment) {
    defer { last = moment }
    guard let last, moment.time > last.time else { return }
    let seconds = Double(moment.time - last.time) / 1e9
    sampleCount += 1
    var sample = OverviewSample()
    sample.id = sampleCount
    sample.time = moment.overview.time
    sample.actionsPerSecond = Self.rounded(Double(moment.applied &- last.applied) / seconds)
    sample.refusalsPerSecond = Self.rounded(Double(moment.refused &- last.refused) / seconds)
    let answers = moment.answers.since(last.answers)
    sample.answerP50 = answers.quantile(0.5).map(Self.microseconds)
    sample.answerP99 = answers.quantile(0.99).map(Self.microseconds)
    sample.lagP99 = moment.lag.since(last.lag).quantile(0.99).map(Self.microseconds)
    if let commits = moment.commits {
      sample.commitP99 = (last.commits.map { commits.since($0) } ?? commits).quantile(0.99).map { Int($0 * 1e6) }
    }
    sample.residentBytes = moment.overview.residentBytes
    sample.awake = moment.overview.sessions.awake
    let connections = moment.overview.connections
    sample.connections = connections.http + connections.websocket + connections.events
    sample.processorPercent = Self.rounded((moment.processor - last.processor) / seconds * 100)
    samples.append(sample)
    samples.removeAll { $0.time < sample.time - 300 }
  }

  private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
  private static func microseconds(_ nanoseconds: UInt64) -> Int { Int(nanoseconds / 1000) }
}
