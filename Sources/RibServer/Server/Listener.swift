import Logging
import Wire

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
  /// Where the socket listens.
  let address: String
  let port: Int
  private let descriptor: Int32
  private let loops: [EventLoop]
  private let context: ServerContext
  private var watch: Int?
  private var next = 0
  /// Whether the last connection could not be accepted.
  private var isPaused = false

  private var loop: EventLoop { loops[0] }

  /// Binds a socket.
  ///
  /// - Throws: ``SystemError`` if the address is none or taken.
  init(loops: [EventLoop], _ context: ServerContext) throws(SystemError) {
    self.loops = loops
    self.context = context
    (descriptor, address, port) = try Self.listen(host: context.settings.host, port: context.settings.port)
  }

  /// Begins to accept.
  ///
  /// - Throws: ``SystemError`` if the socket cannot be watched; it is closed then.
  func start() throws(SystemError) {
    do throws(SystemError) {
      try loop.executeAndWait { [self] () throws(SystemError) in
        watch = try loop.watch(descriptor, for: .reading, self)
      }
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  /// Ends accepting and closes the socket.
  func stop() {
    loop.execute { [self] in
      if let watch { loop.unwatch(watch) }
      watch = nil
    }
  }

  func ready(_ readiness: Readiness) {
    // Bounded, so that a flood of connections does not keep the loop from the connections that it has.
    for _ in 0..<64 {
      let accepted = acceptConnection(descriptor)
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
    let connections = context.connections
    let address = connections.countsAddresses ? PeerAddress(of: accepted) : nil
    let admission = connections.enter(from: address)
    if admission == .dropped { return closeDescriptor(accepted) }
    let target = loops[next % loops.count]
    next = (next + 1) % loops.count
    let context = context
    target.execute { Connection(accepted, admission, from: address, on: target, context).start() }
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

  // MARK: Sockets

  private static func listen(host: String, port: Int) throws(SystemError) -> (Int32, String, Int) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0, let info = list else {
      throw SystemError(operation: "listen on \(host): \(String(cString: gai_strerror(status)))", code: EADDRNOTAVAIL)
    }
    defer { freeaddrinfo(list) }
    let descriptor = makeSocket(info.pointee.ai_family)
    guard descriptor >= 0 else { throw .last("socket") }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
      beginListening(descriptor, backlog: 4096) == 0, let (address, bound) = name(of: descriptor)
    else {
      let error = SystemError.last("listen on \(host):\(port)")
      closeDescriptor(descriptor)
      throw error
    }
    return (descriptor, address, bound)
  }

  /// The address and port that a socket was bound to.
  private static func name(of descriptor: Int32) -> (String, Int)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let status = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0
          && getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    let text = { (bytes: [CChar]) in
      String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    guard status, let port = Int(text(service)) else { return nil }
    return (text(host), port)
  }
}
