import Logging
import Synchronization

@testable import RibServer

/// What a writer makes of requests.
enum WriterRun {
  /// Has requests done in one batch.
  ///
  /// - Returns: the names of their results, in order; `failed` for one that the store has failed at.
  static func results(of requests: [StoreRequest], on store: any SessionStore) async throws -> [String] {
    let loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
    defer { loop.stop() }
    let writer = StoreWriter(store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {}
    return await withCheckedContinuation { done in
      let answers = Answers(requests.count, done)
      writer.submit(requests.map { request in StoreJob(request, on: loop) { answers.add($0) } })
    }
  }

  private final class Answers: Sendable {
    private let names = Mutex<[String]>([])
    private let count: Int
    private let done: CheckedContinuation<[String], Never>

    init(_ count: Int, _ done: CheckedContinuation<[String], Never>) { (self.count, self.done) = (count, done) }

    func add(_ result: Result<StoreResult, StoreError>) {
      let all = names.withLock { names in
        names.append((try? result.get()).map { String("\($0)".prefix { $0 != "(" }) } ?? "failed")
        return names
      }
      if all.count == count { done.resume(returning: all) }
    }
  }
}

/// A sweeper at work, without a server around it.
final class SweeperRun: Sendable {
  let context: ServerContext
  private let loop: EventLoop
  private let writer: StoreWriter

  /// How often its loop has had something to do.
  var turns: UInt64 { loop.turns.load(ordering: .relaxed) }

  init(
    _ store: any SessionStore, apps: [App] = [], timeToLive: Int, untouched: Int = 0,
    pace: SessionSweeper.Pace = .forTests, clock: TimeSource = .system,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) throws {
    var settings = ServerSettings()
    settings.sessions.timeToLiveSeconds = timeToLive
    settings.sessions.untouchedSeconds = untouched
    context = ServerContext(apps: apps, files: StaticFiles(), settings: settings, logger: logger)
    writer = StoreWriter(store, logger, context.metrics) {}
    var environment = Environment.system
    environment.time = clock
    loop = try EventLoop(
      name: "test", linger: 0, usesEpoll: true, messageLimit: 1000, rules: context.rules, environment: environment,
      store: writer)
    SessionSweeper(writer, on: loop, context, pace: pace).begin()
  }

  /// Ends it and closes the store.
  func stop() async {
    await withCheckedContinuation { done in loop.closeAll { done.resume() } }
    await writer.close()
    loop.stop()
  }
}

extension SessionSweeper.Pace {
  /// As fast as it can, and from the beginning.
  static var forTests: Self {
    var pace = Self()
    pace.interval = .milliseconds(10)
    pace.grace = .zero
    return pace
  }
}
