public import Logging
import Metrics
import RibCore
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

  /// How long clients of a process before this one are given to come back before they are seen to have left.
  private static let timeToComeBack = Duration.seconds(10)

  enum State {
    /// Not started.
    case new
    /// Listening.
    case running(RunningServer)
    /// About to be stopped; these wait for it besides the first that wanted it.
    case stopping([CheckedContinuation<Void, Never>])
    /// Stopped; a server is started once.
    case stopped(UncleanStopError?)
  }

  let context: ServerContext
  private let stores: [ExternalStore]
  private let onListening: @Sendable (URLAddress) -> Void
  let state = Mutex(State.new)
  /// From the start to the end of the stop; apart from the state, so that nobody who looks waits for a store that is being opened.
  private let inspected = Mutex<ServerInspection?>(nil)

  /// Where a server listens.
  public struct URLAddress: Equatable, Sendable, CustomStringConvertible {
    /// The address that was bound.
    public let host: String
    /// The port that was bound.
    public let port: Int
    /// The server's URL; of a socket without a port, `unix:` and its path.
    public var description: String {
      if host.hasPrefix(ListeningSocket.unixPrefix) { return host }
      return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
  }

  /// A server that is not started.
  ///
  /// - Parameters:
  ///   - apps: what clients may ask for; their names must differ.
  ///   - files: what is handed out beside the server's own endpoints; those go first.
  ///   - settings: how it is set up; a value out of its range is a mistake in the program and traps.
  ///   - authenticator: finds the persons behind clients; nil if the server does not authenticate, and all clients are anonymous.
  ///   - stores: kinds of session stores that the settings may name besides the server's own.
  ///   - logger: where it writes; a session's lines carry `session`, and `riblet` where they are about one.
  ///   - onListening: called once connections are accepted.
  public convenience init(
    apps: [App], files: StaticFiles = StaticFiles(), settings: ServerSettings = ServerSettings(),
    authenticator: (any SessionAuthenticator)? = nil, stores: [ExternalStore] = [],
    logger: Logger = Logger(label: "ribserver"),
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    self.init(
      apps: apps, files: files, settings: settings, authenticator: authenticator, stores: stores, logger: logger,
      environment: .system, onListening: onListening)
  }

  /// A server that is not started, in some environment.
  package convenience init(
    apps: [App], files: StaticFiles, settings: ServerSettings, authenticator: (any SessionAuthenticator)? = nil,
    stores: [ExternalStore] = [], logger: Logger, environment: Environment,
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    self.init(
      apps: apps, files: files, settings: settings, authenticator: authenticator, stores: stores, logger: logger,
      environment: environment, desk: nil, onListening: onListening)
  }

  /// A server that is not started, and may show another one to operators.
  init(
    apps: [App], files: StaticFiles, settings: ServerSettings, authenticator: (any SessionAuthenticator)? = nil,
    stores: [ExternalStore] = [], logger: Logger, environment: Environment, desk: AdminDesk?,
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    if let fault = settings.fault { preconditionFailure("\(fault)") }
    context = ServerContext(
      apps: apps, files: files, settings: settings, authenticator: authenticator, logger: logger,
      environment: environment,
      // What the store of an admin server does is nobody's concern.
      metrics: desk == nil ? ServerMetrics() : ServerMetrics(factory: NOOPMetricsHandler.instance), desk: desk)
    self.stores = stores
    self.onListening = onListening
  }

  /// What can be seen of the server; nil before it runs, and once it has stopped.
  package var inspection: ServerInspection? { inspected.withLock { $0 } }

  /// The names of the apps, in order.
  package var appNames: [String] { context.appNames }

  /// Whether operators may see what is in sessions.
  package var showsState: Bool { context.settings.admin.showsState }

  /// Whether the server runs, and each of its loops comes back from what it does.
  ///
  /// - Parameter patience: how long a loop may take to come back.
  /// - Returns: false once one of them has taken longer.
  public func isLive(within patience: Duration) async -> Bool {
    guard let inspection else { return false }
    return await withCheckedContinuation { continuation in
      inspection.ask(within: patience) { continuation.resume(returning: $0) }
    }
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
      try context.settings.makeRecordDirectory(context.logger)
      if context.desk == nil { context.recordingsOnDemand.removeLeftovers() }
      let opened = try context.settings.openStore(
        stores, loopCount: loopCount, context.logger, context.environment,
        isPrivate: context.authentications?.requiresCredential == true)
      context.metrics.foundCrashes.increment(by: opened.crashCount)
      let store = context.environment.wrapStore(opened.store)
      let keeper = LoopKeeper()
      let writer = StoreWriter(store, context.logger, context.metrics, context.environment) {
        for loop in keeper.loops { loop.storeIsBack() }
      } onLoss: {
        for loop in keeper.loops { loop.storeIsLost() }
      }
      var listener: Listener
      do {
        let (revoked, last) = try Self.revocations(in: store)
        for revocation in revoked { context.revocations.note(revocation) }
        keeper.loops = try makeLoops(loopCount, writer, opened.flight ?? FlightRecorder(slotCount: loopCount))
        context.willSignOut(by: SignOuts(context, writer, keeper.loops, last: last))
        // Before other nodes tell who is there.
        if opened.hasHistory { PresenceExchange.shared.settle(for: Self.timeToComeBack) }
        if let cluster = opened.cluster {
          context.willJoin(cluster)
          try cluster.listen(context.settings, context)
          try cluster.start(keeper.loops, context.sessions)
        }
        listener = try Listener(loops: keeper.loops, context)
        try listener.start()
      } catch {
        opened.cluster?.cancel()
        for loop in keeper.loops { loop.stop() }
        // The writer, which the loops hold, holds them.
        keeper.loops = []
        store.close()
        throw error
      }
      writer.beginLooking()
      SessionSweeper(writer, on: keeper.loops[0], context).begin()
      let ceiling = MemoryCeiling(context, keeper.loops)
      ceiling.start()
      context.metrics.noteReload(at: context.environment.time.wall())
      let inspection = ServerInspection(context, keeper.loops)
      inspected.withLock { $0 = inspection }
      state = .running(
        RunningServer(
          context: context, listener: listener, loops: keeper.loops, store: writer, ceiling: ceiling,
          watchdog: Watchdog(context, keeper.loops), inspection: inspection,
          publication: context.metrics.publisher?.begin(inspection, context.environment)))
      return (listener, loopCount)
    }
    let address = URLAddress(host: listener.socket.address, port: listener.socket.port)
    context.logger.info("Listening.", metadata: ["url": "\(address)", "loops": "\(loopCount)"])
    onListening(address)
    return address
  }

  /// The revocations in the store, read before the first connection is accepted.
  private static func revocations(in store: any SessionStore) throws(StoreError) -> ([Revocation], last: Int64) {
    guard case .revocations(let found, let last)? = try store.perform([.findRevocations(after: 0)]).first else {
      return ([], 0)
    }
    return (found, last)
  }

  /// Signs a person out everywhere.
  ///
  /// The person's clients cannot come back, whatever credential they show. A credential that was issued before is not accepted any more;
  /// one without a time of issue still is. The person's sessions stay until their time to live is over; a person who signs in again begins
  /// new ones.
  ///
  /// When this returns, no action of those clients is committed any more, nor by other processes with the same store; connections to these
  /// end within about ten seconds.
  ///
  /// - Parameters:
  ///   - subject: the person's ``/RibCore/Identity/subject``.
  ///   - issuer: the person's ``/RibCore/Identity/issuer``.
  /// - Throws: ``StoreError`` if the store cannot keep the revocation; in this process the person is out nevertheless. Call it again then.
  public func signOut(_ subject: String, issuer: String = "") async throws {
    guard let signOuts = context.signOuts else { preconditionFailure("a server that is not started has no clients") }
    try await signOuts.signOut(PersonID(subject, issuer: issuer))
  }

  /// Ends a session for all of its clients, whatever it is doing and wherever it is.
  ///
  /// Each connected client is told `revoked`, and cannot come back. A client whose session rests, or that is connected to another process,
  /// may be told `gone` instead.
  ///
  /// When this returns, the session is deleted, also from the store. Of an action that was not answered by then, its client does not learn
  /// whether it was applied. The app is told of the end by ``App/onEnd(_:)``.
  ///
  /// - Parameter id: the session's ``/RibCore/SessionContext/id``.
  /// - Returns: whether there was such a session.
  /// - Throws: ``StoreError`` if the store fails, or the server does not run. The store may still have the session then, and a client may
  ///   bring it back: call this again.
  @discardableResult public func end(session id: String) async throws -> Bool {
    let loop: EventLoop? = state.withLock { state in
      guard case .running(let running) = state else { return nil }
      return running.loops.first
    }
    guard let loop else { throw StoreError("The server does not run.") }
    return try await withCheckedThrowingContinuation { [context] continuation in
      loop.execute {
        SessionDismissal(context: context, loop: loop).end(id) { result in
          if case .success(true) = result { context.logger.audit("A session was ended.", ["session": "\(id)"]) }
          continuation.resume(with: result)
        }
      }
    }
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
            writeQueueLimit: settings.limits.writeQueue, rules: context.rules, environment: context.environment,
            store: store,
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
  /// ``lossAtStop`` says what was lost by that. A second call returns when the first does.
  public func stop() async {
    let running = state.withLock { state -> RunningServer? in
      guard case .running(let running) = state else { return nil }
      state = .stopping([])
      return running
    }
    guard let running else { return await waitUntilStopped() }
    let loss = await running.stop(drainingFor: context.settings.timeouts.drainSeconds)
    inspected.withLock { $0 = nil }
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state = .stopped(loss) }
      return if case .stopping(let waiting) = state { waiting } else { [] }
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for a stop that is under way; for nothing if none is.
  private func waitUntilStopped() async {
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        guard case .stopping(let waiting) = state else { return false }
        state = .stopping(waiting + [continuation])
        return true
      }
      if !mustWait { continuation.resume() }
    }
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
