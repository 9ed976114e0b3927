public import Logging
public import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server of riblet sessions.
///
/// Run it in a `ServiceGroup`, which tells it to stop, or start and stop it by hand.
public final class Server: Service {
  /// The version of this package.
  public static let version = "0.1.0"

  private enum State {
    /// Not started.
    case new
    /// Listening.
    case running(RunningServer)
    /// Stopped, or about to; a server is started once.
    case stopped(UncleanStopError?)
  }

  private let context: ServerContext
  private let onListening: @Sendable (URLAddress) -> Void
  private let state = Mutex(State.new)

  /// Where a server listens.
  public struct URLAddress: Equatable, Sendable, CustomStringConvertible {
    /// The address that was bound.
    public let host: String
    /// The port that was bound.
    public let port: Int
    /// The server's URL.
    public var description: String {
      host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
  }

  /// A server that is not started.
  ///
  /// - Parameters:
  ///   - apps: what clients may ask for; their names must differ.
  ///   - files: what is handed out beside the server's own endpoints; those go first.
  ///   - settings: how it is set up; a value out of its range is a mistake in the program and traps.
  ///   - logger: where it writes; a session's lines carry `session`, and `riblet` where they are about one.
  ///   - onListening: called once connections are accepted.
  public convenience init(
    apps: [App], files: StaticFiles = StaticFiles(), settings: ServerSettings = ServerSettings(),
    logger: Logger = Logger(label: "ribserver"),
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    self.init(
      apps: apps, files: files, settings: settings, logger: logger, environment: .system, onListening: onListening)
  }

  /// A server that is not started, in some environment.
  package init(
    apps: [App], files: StaticFiles, settings: ServerSettings, logger: Logger, environment: Environment,
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    if let fault = settings.fault { preconditionFailure("\(fault)") }
    context = ServerContext(
      apps: apps, files: files, settings: settings, logger: logger, environment: environment)
    self.onListening = onListening
  }

  /// The number of open connections.
  public var connectionCount: Int { context.connections.count }
  /// The number of sessions.
  public var sessionCount: Int { context.sessionCount.load(ordering: .relaxed) }

  /// Serves until the task is cancelled or the service group shuts down.
  ///
  /// - Throws: ``SystemError`` if the address cannot be bound, ``StoreError`` if the session store cannot be opened,
  ///   ``UncleanStopError`` if something was lost when the server stopped.
  public func run() async throws {
    _ = try start()
    try? await gracefulShutdown()
    await stop()
    if let lossAtStop { throw lossAtStop }
  }

  /// Begins to accept connections.
  ///
  /// - Returns: where.
  /// - Throws: ``SystemError`` if the address cannot be bound, ``StoreError`` if the session store cannot be opened.
  public func start() throws -> URLAddress {
    let (listener, loopCount) = try state.withLock { state in
      guard case .new = state else { preconditionFailure("a server is started once") }
      // A call of stop() waits for the lock, until the server runs.
      let loopCount = context.settings.loopCount
      try context.settings.makeRecordDirectory()
      let (opened, flight) = try context.settings.openStore(loopCount: loopCount, context.logger, context.environment)
      let store = context.environment.wrapStore(opened)
      let keeper = LoopKeeper()
      let writer = StoreWriter(store, context.logger, context.metrics, context.environment) {
        for loop in keeper.loops { loop.storeIsBack() }
      }
      var listener: Listener
      do {
        keeper.loops = try makeLoops(loopCount, writer, flight ?? FlightRecorder(slotCount: loopCount))
        listener = try Listener(loops: keeper.loops, context)
        try listener.start()
      } catch {
        for loop in keeper.loops { loop.stop() }
        store.close()
        throw error
      }
      SessionSweeper(writer, on: keeper.loops[0], context).begin()
      MemoryCeiling(context, keeper.loops)?.start()
      state = .running(
        RunningServer(
          context: context, listener: listener, loops: keeper.loops, store: writer,
          watchdog: Watchdog(context, keeper.loops)))
      return (listener, loopCount)
    }
    let address = URLAddress(host: listener.socket.address, port: listener.socket.port)
    context.logger.info("Listening.", metadata: ["url": "\(address)", "loops": "\(loopCount)"])
    onListening(address)
    return address
  }

  private func makeLoops(
    _ count: Int, _ store: StoreWriter, _ flight: FlightRecorder
  ) throws(SystemError) -> [EventLoop] {
    let settings = context.settings
    var loops: [EventLoop] = []
    do throws(SystemError) {
      for index in 0..<count {
        loops.append(
          try EventLoop(
            name: "ribserver.loop.\(index)", linger: settings.lingerMilliseconds,
            usesEpoll: settings.usesEpoll, messageLimit: settings.limits.message,
            writeQueueLimit: settings.limits.writeQueue, environment: context.environment, store: store,
            flight: flight.slot(index)))
      }
    } catch {
      for loop in loops { loop.stop() }
      throw error
    }
    return loops
  }

  /// Stops accepting, says `bye` to every client, has the store take what sessions still have for it, and returns then.
  ///
  /// That takes at most `timeouts.drainSeconds`, then `timeouts.closingSeconds`, and then as long as the store goes on
  /// writing: once it has not come back from a commit for `timeouts.storeSeconds`, it is not waited for any more. What
  /// all apps together do about sessions that have ended (``App/onEnd(_:)``) takes at most `timeouts.storeSeconds`.
  /// ``lossAtStop`` says what was lost by that.
  public func stop() async {
    let running = state.withLock { state -> RunningServer? in
      guard case .running(let running) = state else { return nil }
      state = .stopped(nil)
      return running
    }
    guard let running else { return }
    let loss = await running.stop(drainingFor: context.settings.timeouts.drainSeconds)
    state.withLock { $0 = .stopped(loss) }
  }

  /// What was lost when the server stopped; nil if the store has all of every session, and before ``stop()`` has returned.
  public var lossAtStop: UncleanStopError? {
    state.withLock { if case .stopped(let loss) = $0 { loss } else { nil } }
  }
}

/// The loops, for the store's writer, which is made before them.
///
/// `@unchecked Sendable`: set once, before the server runs.
private final class LoopKeeper: @unchecked Sendable {
  var loops: [EventLoop] = []
}
