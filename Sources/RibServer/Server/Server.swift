import Dispatch
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
    case running(Listener, [EventLoop], StoreWriter, Watchdog?)
    /// Stopped; a server is started once.
    case stopped
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
  public init(
    apps: [App], files: StaticFiles = StaticFiles(), settings: ServerSettings = ServerSettings(),
    logger: Logger = Logger(label: "ribserver"),
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    if let fault = settings.fault { preconditionFailure("\(fault)") }
    context = ServerContext(apps: apps, files: files, settings: settings, logger: logger)
    self.onListening = onListening
  }

  /// The number of open connections.
  public var connectionCount: Int { context.connections.count }
  /// The number of sessions.
  public var sessionCount: Int { context.sessionCount.load(ordering: .relaxed) }

  /// Serves until the task is cancelled or the service group shuts down.
  ///
  /// - Throws: ``SystemError`` if the address cannot be bound, ``StoreError`` if the session store cannot be opened.
  public func run() async throws {
    _ = try start()
    try? await gracefulShutdown()
    await stop()
  }

  /// Begins to accept connections.
  ///
  /// - Returns: where.
  /// - Throws: ``SystemError`` if the address cannot be bound, ``StoreError`` if the session store cannot be opened.
  public func start() throws -> URLAddress {
    let (listener, loopCount) = try state.withLock { state in
      guard case .new = state else { preconditionFailure("a server is started once") }
      // Whoever stops it now waits until it runs.
      let loopCount = context.settings.loopCount
      try context.settings.makeRecordDirectory()
      let (store, flight) = try context.settings.openStore(loopCount: loopCount, context.logger)
      let keeper = LoopKeeper()
      let writer = StoreWriter(store, context.logger, context.metrics) {
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
      state = .running(listener, keeper.loops, writer, Watchdog(context, keeper.loops))
      return (listener, loopCount)
    }
    let address = URLAddress(host: listener.address, port: listener.port)
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

  /// Stops accepting, says `bye` to every client, and returns when they are gone: at the latest after the time that a
  /// closing connection has.
  public func stop() async {
    let running = state.withLock { state -> (Listener, [EventLoop], StoreWriter, Watchdog?)? in
      guard case .running(let listener, let loops, let store, let watchdog) = state else { return nil }
      state = .stopped
      return (listener, loops, store, watchdog)
    }
    guard let (listener, loops, store, watchdog) = running else { return }
    context.logger.info("Stopping.", metadata: ["connections": "\(connectionCount)"])
    listener.stop()
    let drainSeconds = context.settings.timeouts.drainSeconds
    if drainSeconds > 0 { await each(loops) { $0.drainAll(within: drainSeconds, $1) } }
    await each(loops) { $0.closeAll($1) }
    await each(loops) { $0.stopSessions($1) }
    let lost = context.lostSessionCount.load(ordering: .relaxed)
    if lost > 0 {
      context.logger.critical(
        "The session store fails: what these sessions have done since is lost.", metadata: ["sessions": "\(lost)"])
    }
    await store.close()
    context.recordings?.flush()
    for loop in loops { loop.stop() }
    watchdog?.stop()
    context.logger.info("Stopped.")
  }
}

extension Server {
  /// Has all loops do something, and waits until the last one is done.
  private func each(
    _ loops: [EventLoop], _ body: @escaping @Sendable (EventLoop, @escaping @Sendable () -> Void) -> Void
  ) async {
    await withTaskGroup { group in
      for loop in loops {
        group.addTask { await withCheckedContinuation { done in body(loop) { done.resume() } } }
      }
    }
  }
}

/// The loops, for whoever is made before them.
///
/// `@unchecked Sendable`: set once, before the server runs.
private final class LoopKeeper: @unchecked Sendable {
  var loops: [EventLoop] = []
}
