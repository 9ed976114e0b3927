import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is between servers and clients, and between nodes.
extension World {
  func makeLink(
    to process: SimulatedProcess, for client: any LinkOwner, _ name: String
  ) throws -> SimulatedLink {
    linkCount += 1
    note("\(name): connects to process \(process.number) by link \(linkCount)")
    let link = try SimulatedLink(linkCount, to: process, at: process.clientListener, in: self, for: client)
    links.append(link)
    return link
  }

  /// Connects a node to another one.
  ///
  /// - Parameters:
  ///   - process: the node that has dialled.
  ///   - socket: the number of its socket.
  ///   - target: the node that it has dialled.
  ///   - descriptor: the other end of the socket.
  ///   - nanoseconds: how long nothing arrives yet.
  /// - Throws: ``SystemError`` if there is no socket.
  func connect(
    _ process: SimulatedProcess, from socket: Int, to target: SimulatedProcess, by descriptor: Int32,
    stalledFor nanoseconds: UInt64
  ) throws(SystemError) {
    linkCount += 1
    note("process \(process.number): dials process \(target.number) by link \(linkCount)")
    let end = DialledSocket(descriptor, to: socket, of: process, in: self)
    dialled.append(end)
    let link = try SimulatedLink(linkCount, to: target, at: target.nodeListener, in: self, for: end)
    link.stall(for: nanoseconds)
    links.append(link)
    end.begin(link)
  }

  func closed(_ socket: DialledSocket) { dialled.removeAll { $0 === socket } }
  func closed(_ link: SimulatedLink) { links.removeAll { $0 === link } }

  /// A server may have sent something, or closed a connection; or what it has sent is held up no longer.
  func lookAtLinks(of process: SimulatedProcess) { (mayHaveSent, process.mayHaveSent) = (true, true) }

  /// Takes what servers have sent.
  func collect() {
    guard mayHaveSent else { return }
    mayHaveSent = false
    let links = links.filter(\.process.mayHaveSent)
    let dialled = dialled.filter(\.process.mayHaveSent)
    for process in processes { process.mayHaveSent = false }
    var entries = (links.map(\.descriptor) + dialled.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard !entries.isEmpty else { return }
    var count: Int32
    repeat { count = poll(&entries, nfds_t(entries.count), 0) } while count < 0 && errno == EINTR
    guard count > 0 else { return }
    for (link, entry) in zip(links, entries) where entry.revents != 0 { link.collect() }
    for (socket, entry) in zip(dialled, entries.dropFirst(links.count)) where entry.revents != 0 { socket.collect() }
  }
}
