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
    case running(Listener, [EventLoop])
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
  ///   - settings: how it is set up; a value out of its range is a mistake in the program and traps.
  ///   - logger: where it writes; a session's lines carry `session`, and `riblet` where they are about one.
  ///   - onListening: called once connections are accepted.
  public init(
    apps: [App], settings: ServerSettings = ServerSettings(), logger: Logger = Logger(label: "ribserver"),
    onListening: @escaping @Sendable (URLAddress) -> Void = { _ in }
  ) {
    if let fault = settings.fault { preconditionFailure("\(fault)") }
    context = ServerContext(apps: apps, settings: settings, logger: logger)
    self.onListening = onListening
  }

  /// The number of open connections.
  public var connectionCount: Int { context.connections.count }
  /// The number of sessions.
  public var sessionCount: Int { context.sessionCount.load(ordering: .relaxed) }

  /// Serves until the task is cancelled or the service group shuts down.
  ///
  /// - Throws: ``SystemError`` if the address cannot be bound.
  public func run() async throws {
    _ = try start()
    try? await gracefulShutdown()
    await stop()
  }

  /// Begins to accept connections.
  ///
  /// - Returns: where.
  /// - Throws: ``SystemError`` if the address cannot be bound.
  public func start() throws(SystemError) -> URLAddress {
    let (listener, loopCount) = try state.withLock { state throws(SystemError) in
      guard case .new = state else { preconditionFailure("a server is started once") }
      // Whoever stops it now waits until it runs.
      let loops = try makeLoops()
      let listener: Listener
      do throws(SystemError) {
        listener = try Listener(loops: loops, context)
        try listener.start()
      } catch {
        for loop in loops { loop.stop() }
        throw error
      }
      state = .running(listener, loops)
      return (listener, loops.count)
    }
    let address = URLAddress(host: listener.address, port: listener.port)
    context.logger.info("Listening.", metadata: ["url": "\(address)", "loops": "\(loopCount)"])
    onListening(address)
    return address
  }

  private func makeLoops() throws(SystemError) -> [EventLoop] {
    let settings = context.settings
    let count = settings.loops > 0 ? settings.loops : max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    var loops: [EventLoop] = []
    do throws(SystemError) {
      for index in 0..<count {
        loops.append(
          try EventLoop(
            name: "ribserver.loop.\(index)", linger: settings.lingerMilliseconds,
            usesEpoll: settings.usesEpoll, messageLimit: settings.limits.message))
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
    let running = state.withLock { state -> (Listener, [EventLoop])? in
      guard case .running(let listener, let loops) = state else { return nil }
      state = .stopped
      return (listener, loops)
    }
    guard let (listener, loops) = running else { return }
    context.logger.info("Stopping.", metadata: ["connections": "\(connectionCount)"])
    listener.stop()
    await withTaskGroup { group in
      for loop in loops {
        group.addTask { await withCheckedContinuation { done in loop.closeAll { done.resume() } } }
      }
    }
    for loop in loops { loop.stop() }
    context.logger.info("Stopped.")
  }
}
