import RibMetrics
import Synchronization

extension ServerInspection {
  /// How long an overview is good for, in nanoseconds: several operators who look at a time get the same one.
  private static let overviewInterval: UInt64 = 900_000_000
  private static let commitTimes = "ribserver_store_commit_seconds"

  /// The server at this moment, with the samples of the looks before.
  package func overview() async -> ServerOverview {
    let now = context.environment.time.monotonic()
    let recent = looks.withLock { looks -> ServerOverview? in
      guard let last = looks.last, now - min(last.time, now) < Self.overviewInterval else { return nil }
      var overview = last.overview
      overview.samples = looks.samples
      return overview
    }
    if let recent { return recent }
    return await withCheckedContinuation { continuation in
      gather { [self] figures, answeringCount in
        let moment = moment(of: figures, answeringCount)
        let overview = looks.withLock { looks in
          looks.take(moment)
          var overview = moment.overview
          overview.samples = looks.samples
          return overview
        }
        continuation.resume(returning: overview)
      }
    }
  }

  /// Takes a sample, unless there is a newer one.
  ///
  /// - Parameter age: how old the newest sample may be, in nanoseconds.
  func takeSample(unlessWithin age: UInt64) {
    let now = context.environment.time.monotonic()
    guard looks.withLock({ looks in looks.last.map { now - min($0.time, now) >= age } ?? true }) else { return }
    gather { [self] figures, answeringCount in
      let moment = moment(of: figures, answeringCount)
      looks.withLock { $0.take(moment) }
    }
  }

  private func moment(of figures: ServerFigures, _ answeringCount: Int) -> Looks.Moment {
    let time = context.environment.time
    var overview = ServerOverview()
    overview.version = Server.version
    overview.started = startTime.map { Int($0) } ?? 0
    overview.time = time.wall()
    overview.isDraining = context.isDraining.load(ordering: .relaxed)
    overview.isStoreFailing = loops[0].isStoreFailing
    overview.isOverMemory = context.isOverMemory.load(ordering: .relaxed)
    overview.loops = loops.count
    overview.silentLoops = loops.count - answeringCount
    overview.connections.http = figures[.http]
    overview.connections.websocket = figures[.websocket]
    overview.connections.events = figures[.events]
    overview.sessions.awake = figures.awakeCount
    overview.sessions.asleep = figures.sleepingCount
    overview.sessions.stored = measure?.sessionCount
    overview.effects = figures.runningEffectCount
    overview.residentBytes = residentBytes() ?? 0
    overview.descriptors = ProcessFigures.openDescriptorCount ?? 0
    overview.descriptorLimit = Server.descriptorLimit
    overview.crashesFound = foundCrashCount
    let counts = figures.actionCounts
    return Looks.Moment(
      time: time.monotonic(), overview: overview, applied: counts.applied, refused: counts.refused,
      answers: figures.stats.answerTimes, lag: figures.lag, commits: histogram(Self.commitTimes),
      processor: ProcessFigures.cpuSeconds)
  }

  /// Activities that were found at the start to have made a process die.
  var foundCrashCount: Int { Int(number("ribserver_crashes_found_total") ?? 0) }

  /// The value of a metric without labels that the server keeps; nil if there is none.
  func number(_ name: String) -> Double? {
    switch value(name) {
    case .count(let count)?: Double(count)
    case .number(let number)?: number
    case .histogram?, nil: nil
    }
  }

  /// The histogram of a metric without labels; nil if nothing was observed.
  func histogram(_ name: String) -> Histogram? {
    guard case .histogram(let histogram)? = value(name), histogram.count > 0 else { return nil }
    return histogram
  }

  private func value(_ name: String) -> MetricFamily.Value? {
    context.metrics.prometheus.families().first { $0.name == name }?.samples.first?.value
  }
}
