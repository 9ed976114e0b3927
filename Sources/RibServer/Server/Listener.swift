import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The socket that connections come in by.
///
/// It lives on one loop and hands them out to all in turn.
///
/// `@unchecked Sendable`: what is not constant, `watch`, `next` and `isPaused`, is only touched on the listener's loop: by
/// the poller in ``ready(_:)``, and by the jobs that ``start()``, ``stop()`` and a pause put there.
final class Listener: PollTarget, @unchecked Sendable {
  /// The socket, and where it listens.
  let socket: ListeningSocket
  private let loops: [EventLoop]
  private let context: ServerContext
  private var watch: Int?
  private var next = 0
  /// Whether the last connection could not be accepted.
  private var isPaused = false

  private var loop: EventLoop { loops[0] }
  private var rules: Rules { _read { yield loop.work.rules } }

  /// Binds a socket.
  ///
  /// - Throws: ``SystemError`` if the address is none or taken.
  init(loops: [EventLoop], _ context: ServerContext) throws(SystemError) {
    self.loops = loops
    self.context = context
    if let inherited = context.settings.socket {
      socket = try ListeningSocket(inherited: inherited)
    } else {
      socket = try context.environment.sockets.listen(context.settings.host, context.settings.port)
      if context.desk == nil { socket.openToGroup() }
    }
    context.willListen(at: socket.address)
    for loop in loops { loop.follow(context.rules) }
  }

  /// Begins to accept.
  ///
  /// - Throws: ``SystemError`` if the socket cannot be watched; it is closed then.
  func start() throws(SystemError) {
    do throws(SystemError) {
      try loop.executeAndWait { [self] () throws(SystemError) in
        watch = try loop.watch(socket.descriptor, for: .reading, self)
      }
    } catch {
      closeDescriptor(socket.descriptor)
      throw error
    }
  }

  /// Ends accepting and closes the socket.
  ///
  /// - Parameter done: called on the listener's loop, once no connection is accepted any more.
  func stop(_ done: @escaping @Sendable () -> Void = {}) {
    socket.removeFile()
    loop.execute { [self] in
      if let watch { loop.unwatch(watch) }
      watch = nil
      done()
    }
  }

  func ready(_ readiness: Readiness) {
    // Bounded, so that a flood of connections does not keep the loop from the connections that it has.
    for _ in 0..<64 {
      let accepted = context.environment.sockets.accept(socket.descriptor)
      if accepted >= 0 {
        handOver(accepted)
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return noteAccepting()
      default: return pause(.last("accept"))
      }
    }
  }

  private func handOver(_ accepted: Int32) {
    guard let peer = context.environment.sockets.caller(accepted) else { return closeDescriptor(accepted) }
    guard rules.gate.admits(peer) else {
      loop.work.stats.refusedRequests["proxy", default: 0] += 1
      return closeDescriptor(accepted)
    }
    // A proxy's connections are counted to those whom it speaks for.
    let place = rules.gate.proxies.trusts(peer) ? nil : peer.place
    let admission = context.connections.enter(from: place, at: loop.now)
    note(admission, place, of: peer)
    if admission == .dropped { return closeDescriptor(accepted) }
    let target = loops[next % loops.count]
    next = (next + 1) % loops.count
    let context = context
    target.execute { [needsHeader = rules.gate.proxies.needsHeader] in
      Connection(
        accepted, admission, from: peer, isCounted: place != nil, beginsWithProxyHeader: needsHeader, on: target,
        context
      ).start()
    }
  }

  /// Counts a connection by what becomes of it.
  private func note(_ admission: ConnectionCounter.Admission, _ place: Place?, of peer: Caller) {
    let isFull = admission != .admitted && place.map { context.connections.isFull($0, at: loop.now) } == true
    if isFull { rules.gate.noteFullPlace(of: peer) }
    loop.work.stats.note(admission, isFull: isFull)
  }

  /// Out of descriptors or memory: to try again at once would only burn the processor.
  ///
  /// Clients that connect meanwhile wait in the system's queue.
  private func pause(_ error: SystemError) {
    if !isPaused {
      context.logger.error("No connection can be accepted until there is room.", metadata: ["error": "\(error)"])
    }
    isPaused = true
    guard let watch else { return }
    loop.change(watch, to: [])
    loop.execute(after: .milliseconds(100)) { [self] in
      if let watch = self.watch { loop.change(watch, to: .reading) }
    }
  }

  /// All that waited are accepted; of one only, others may have kept waiting.
  private func noteAccepting() {
    guard isPaused else { return }
    isPaused = false
    context.logger.notice("Connections are accepted again.")
  }
}
