import Logging
import Synchronization
import Wire

@testable import RibServer

/// A server in this process on a store that does what a test says.
final class StoreHost: Sendable {
  let url: String
  let store: SwitchedStore
  let context: ServerContext
  let writer: StoreWriter
  let loops: [EventLoop]
  private let listener: Listener
  private let loss = Mutex<UncleanStopError?>(nil)

  var sessionCount: Int { context.sessionCount.load(ordering: .relaxed) }
  /// Whether nobody is let in any more.
  var isStopping: Bool { loops.allSatisfy { loop in loop.executeAndWait { loop.isStopping } } }

  init(
    _ apps: [App], on store: any SessionStore, outage: Outage? = nil, isShared: Bool? = false, loops count: Int = 1,
    metrics: ServerMetrics = ServerMetrics(), environment: Environment = .system,
    authenticator: (any SessionAuthenticator)? = nil, _ change: (inout ServerSettings) -> Void = { _ in }
  ) throws {
    var settings = ServerSettings()
    settings.port = 0
    settings.limits.actionsPerSecond = 0
    // A client that waits for something else answers no ping.
    settings.timeouts.heartbeatSeconds = 600
    // Most clients of a test go without a close.
    settings.timeouts.closingSeconds = 1
    change(&settings)
    let store = SwitchedStore(store, outage: outage, isShared: isShared)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let context = ServerContext(
      apps: apps, files: StaticFiles(), settings: settings, authenticator: authenticator, logger: logger,
      environment: environment, metrics: metrics)
    let told = Told()
    let writer = StoreWriter(store, logger, ServerMetrics(), context.environment) {
      for loop in told.loops { loop.storeIsBack() }
    }
    let loops = try (0..<count).map {
      try EventLoop(
        name: "test.loop.\($0)", linger: 1, usesEpoll: true, messageLimit: settings.limits.message,
        writeQueueLimit: settings.limits.writeQueue, environment: context.environment, store: writer)
    }
    told.set(loops)
    listener = try Listener(loops: loops, context)
    try listener.start()
    url = "http://127.0.0.1:\(listener.socket.port)"
    (self.store, self.context, self.writer, self.loops) = (store, context, writer, loops)
  }

  /// The loops, for whoever is made before them.
  private final class Told: Sendable {
    private let box = Mutex<[EventLoop]>([])
    var loops: [EventLoop] { box.withLock { $0 } }
    func set(_ loops: [EventLoop]) { box.withLock { $0 = loops } }
  }

  /// Whether clients were asked to go elsewhere.
  var isDraining: Bool { loops.allSatisfy { loop in loop.executeAndWait { loop.drainSecondsLeft != nil } } }

  /// The last action of a client that was run or refused; nil if its session is not in memory.
  private func number(of client: Welcome) -> Int? { ledger(of: client)?.number }

  /// The last attempt of a client to come back that was taken; nil if its session is not in memory.
  func attempt(of client: Welcome) -> Int? { ledger(of: client)?.record.attempt }

  /// Whether the store has all of a session, which hears later than others that the store works again.
  func isCommitted(_ sessionID: String) -> Bool {
    !writer.isFailing && loops[0].executeAndWait { context.sessions.peek(sessionID)?.core.commits.isClean ?? true }
  }

  /// Whether the server has noticed that a session's last client is gone, and the store knows of it: nothing of the session is
  /// written any more until somebody comes.
  func isAbandoned(_ sessionID: String) -> Bool {
    loops[0].executeAndWait {
      guard let core = context.sessions.peek(sessionID)?.core else { return false }
      return core.audience.connectedCount == 0 && core.commits.isClean
    }
  }

  /// Whether a client has said goodbye; its session is over if no other one may act there.
  func hasLeft(_ client: Welcome) -> Bool { ledger(of: client)?.isRetired ?? true }

  /// A count of the server's only loop.
  func count(_ count: LoopStats.Count) -> UInt64 { loops[0].executeAndWait { loops[0].work.stats[count] } }

  /// Bytes that wait for a client.
  func queueBytes(of client: Welcome) -> Int {
    loops[0].executeAndWait {
      context.sessions.peek(client.sessionID)?.core.audience[client.clientID].channel?.output.count ?? 0
    }
  }

  private func ledger(of client: Welcome) -> ClientLedger? {
    loops[0].executeAndWait { context.sessions.peek(client.sessionID)?.core.audience[client.clientID].ledger }
  }

  /// Waits until an action of a client was run or refused, of which the client may not be told yet.
  ///
  /// The server's only loop is the one that is asked.
  func waitUntilRun(_ number: Int, of client: PlainClient) throws {
    let welcome = try client.welcome
    try waitUntil { self.number(of: welcome) ?? 0 >= number }
  }

  /// Stops as ``Server`` does.
  ///
  /// - Parameter seconds: how long clients may take to go elsewhere; 0 for not being asked to.
  func stop(drainingFor seconds: Int = 0) async {
    let running = RunningServer(
      context: context, listener: listener, loops: loops, store: writer, ceiling: MemoryCeiling(context, loops),
      watchdog: nil,
      inspection: ServerInspection(context, loops))
    let found = await running.stop(drainingFor: seconds)
    loss.withLock { $0 = found }
  }

  /// What was lost when it stopped.
  var lossAtStop: UncleanStopError? { loss.withLock { $0 } }

  /// Runs `body` against a server on `store`, and stops it.
  static func with(
    _ apps: [App], on store: any SessionStore, outage: Outage? = nil, isShared: Bool? = false, loops: Int = 1,
    _ change: (inout ServerSettings) -> Void = { _ in }, _ body: @escaping @Sendable (StoreHost) async throws -> Void
  ) async throws {
    let host = try StoreHost(apps, on: store, outage: outage, isShared: isShared, loops: loops, change)
    do {
      try await body(host)
    } catch {
      host.store.hold(false)
      await host.stop()
      throw error
    }
    await host.stop()
  }
}
