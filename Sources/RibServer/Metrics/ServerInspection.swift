import Metrics
import RibMetrics
import Synchronization
import Wire

/// Gathers the figures of a running server from outside of its loops.
///
/// Nothing of it runs before somebody looks for the first time. What an operator sees besides, and may do, is in `Admin/Inspection`: of that
/// nothing runs but while somebody looks.
package final class ServerInspection: Sendable {
  /// How long a loop may take to give its figures, in nanoseconds: of one that takes longer those count that it gave last.
  static let patience: UInt64 = 1_000_000_000
  /// How long a measure of the store is good for, in nanoseconds.
  private static let measureInterval: UInt64 = 60_000_000_000

  let context: ServerContext
  let loops: [EventLoop]
  let queue: any JobQueue
  let startTime: Double?
  /// Tells when things happened.
  let clock: InspectionClock
  /// The looks that go on, and what was seen before.
  let looks = Mutex(Looks())
  private let state: Mutex<State>

  private struct State {
    /// The figures that each loop gave last.
    var figures: [LoopFigures]
    var probe: LagProbe?
    /// How much the store had when it was asked last; nil if it has not answered.
    var measure: StoreMeasure?
    /// When that was, as the monotonic clock has it.
    var measureTime: UInt64?
  }

  /// An inspection of a server.
  ///
  /// - Parameters:
  ///   - context: the server's.
  ///   - loops: its loops.
  init(_ context: ServerContext, _ loops: [EventLoop]) {
    self.context = context
    self.loops = loops
    queue = context.environment.makeQueue("ribserver.metrics", .urgent)
    clock = InspectionClock(context.environment.time)
    startTime = ProcessFigures.startTime(at: context.environment.time.wall())
    state = Mutex(State(figures: loops.map { _ in LoopFigures() }))
  }

  /// Looks no more.
  func stop() { state.withLock { $0.probe }?.stop() }

  /// Writes the server's metrics, those that the program itself keeps in a ``/RibMetrics/PrometheusFactory``, and what the system says of
  /// the process.
  ///
  /// - Parameter done: called with the text once all loops have given their figures, or have taken too long; on any thread.
  func writeMetrics(_ done: @escaping @Sendable ([UInt8]) -> Void) {
    gather { [self] figures, answeringCount in
      let loopCount = MetricFamily(
        "ribserver_loops", "Threads that serve connections, and how many of them answer within a second.", .gauge,
        [
          .init([.init("state", "all")], .number(Double(loops.count))),
          .init([.init("state", "answering")], .number(Double(answeringCount))),
        ])
      let own =
        [Self.buildInfo, loopCount] + figures.families + storeFamilies + context.metrics.prometheus.families()
      done(PrometheusText.bytes(of: own + ProcessFigures.families(startTime: startTime)))
    }
  }

  private var storeFamilies: [MetricFamily] {
    guard let measure else { return [] }
    return [
      MetricFamily(
        "ribserver_sessions_stored", "Sessions that the store has, looked at once a minute.", .gauge,
        [.init([], .number(Double(measure.sessionCount)))]),
      MetricFamily(
        "ribserver_store_bytes", "Bytes of the store on its disk, looked at once a minute.", .gauge,
        measure.bytes.sorted { $0.key < $1.key }.map { .init([.init("file", $0.key)], .number(Double($0.value))) }),
    ]
  }

  /// How much the store had when it was asked last; nil if it has not answered.
  var measure: StoreMeasure? { state.withLock { $0.measure } }

  /// Asks the store how much it has, unless it was asked within a minute.
  func measureStore() {
    let now = context.environment.time.monotonic()
    let isDue = state.withLock { state in
      if let last = state.measureTime, now - min(last, now) < Self.measureInterval { return false }
      state.measureTime = now
      return true
    }
    guard isDue, let loop = loops.first else { return }
    let job = StoreJob(.measure, on: loop) { [weak self] result in
      guard let self, case .success(.measured(let measure)) = result else { return }
      state.withLock { $0.measure = measure }
    }
    loop.store?.submit([job])
  }

  /// Asks all loops whether they come back.
  ///
  /// - Parameters:
  ///   - patience: how long they may take.
  ///   - done: called once with the answer, on any thread.
  func ask(within patience: Duration, _ done: @escaping @Sendable (_ allAnswer: Bool) -> Void) {
    let left = Mutex<Int?>(loops.count)
    for loop in loops {
      loop.execute {
        let isLast = left.withLock { left in
          guard let count = left else { return false }
          left = count == 1 ? nil : count - 1
          return count == 1
        }
        if isLast { done(true) }
      }
    }
    queue.add(
      after: UInt64(
        clamping: patience.components.seconds * 1_000_000_000 + patience.components.attoseconds / 1_000_000_000)
    ) {
      let isLate = left.withLock { left in
        defer { left = nil }
        return left != nil
      }
      if isLate { done(false) }
    }
  }

  /// Gathers the figures of all loops.
  ///
  /// - Parameter done: called with the figures, and how many loops have given theirs in time; on any thread.
  func gather(_ done: @escaping @Sendable (ServerFigures, _ answeringCount: Int) -> Void) {
    measureStore()
    state.withLock { if $0.probe == nil { $0.probe = LagProbe(loops, context.environment) } }
    let answers = Mutex((missing: Set(loops.indices), isDone: false))
    let finish: @Sendable () -> Void = { [self] in
      let count = answers.withLock { answers -> Int? in
        guard !answers.isDone else { return nil }
        answers.isDone = true
        return loops.count - answers.missing.count
      }
      guard let count else { return }
      let figures = state.withLock { $0.figures }
      done(
        ServerFigures(of: figures, sleepingCount: context.sessions.sleepingCount, appNames: context.appNames), count)
    }
    for (index, loop) in loops.enumerated() {
      loop.execute { [self] in
        let figures = loop.figures
        state.withLock { $0.figures[index] = figures }
        let isLast = answers.withLock { answers in
          answers.missing.remove(index)
          return answers.missing.isEmpty
        }
        // To write the text is no work for the loop.
        if isLast { queue.add(finish) }
      }
    }
    queue.add(after: Self.patience, finish)
  }

  /// Members of the JSON object that operators get at `/livez` and `/readyz`, besides the status.
  var details: [(name: String, value: JSONValue)] {
    [
      ("version", .string(Server.version)),
      ("draining", .bool(context.isDraining.load(ordering: .relaxed))),
      ("storeFailing", .bool(loops[0].isStoreFailing)),
      ("overMemory", .bool(context.isOverMemory.load(ordering: .relaxed))),
      ("lateLoops", .integer(Int64(context.lateLoopCount.load(ordering: .relaxed)))),
      ("loops", .integer(Int64(loops.count))),
      ("connections", .integer(Int64(context.connections.count))),
      ("sessionsAwake", .integer(Int64(context.sessions.count))),
      ("sessionsAsleepConnected", .integer(Int64(context.sessions.sleepingCount))),
    ]
  }

  private static var buildInfo: MetricFamily {
    MetricFamily(
      "ribserver_build_info", "The version of the server, and of the compiler that has made it.", .gauge,
      [.init([.init("version", Server.version), .init("swift", swiftVersion)], .number(1))])
  }

  private static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}
