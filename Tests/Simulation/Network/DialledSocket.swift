import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The end of a connection that a node has dialled: what the node writes goes its way over a link, and what the link brings is written to it.
final class DialledSocket: LinkOwner {
  let process: SimulatedProcess
  private unowned let world: World
  private(set) var link: SimulatedLink?
  /// The other end of the node's socket; −1 once it is closed.
  private(set) var descriptor: Int32
  /// The number of the node's end among its sockets.
  private let nodeSocket: Int
  /// What waits for room in the socket.
  private var unsent: [UInt8] = []
  /// Whether nothing more comes over the link.
  private var isEnding = false

  /// The end of a node's connection.
  ///
  /// - Parameters:
  ///   - descriptor: the other end of the node's socket.
  ///   - nodeSocket: the number of the node's end among its sockets.
  ///   - process: the node's.
  ///   - world: where it is.
  init(_ descriptor: Int32, to nodeSocket: Int, of process: SimulatedProcess, in world: World) {
    (self.descriptor, self.nodeSocket, self.process, self.world) = (descriptor, nodeSocket, process, world)
  }

  /// Why a socket could not be connected: an error number; 0 if it was.
  static func failure(isRefused: Bool) -> Int32 { isRefused ? ECONNREFUSED : 0 }

  deinit { precondition(descriptor < 0, "a socket that process \(process.number) has dialled is open") }

  /// Begins to pass bytes on.
  ///
  /// - Parameter link: to the other node.
  func begin(_ link: SimulatedLink) { self.link = link }

  /// Takes what the node has written.
  func collect() {
    while descriptor >= 0 {
      let count = recv(descriptor, &world.room, world.room.count, 0)
      guard count > 0 else {
        if count == 0 || errno != EAGAIN { end() }
        return
      }
      process.lookAgain(at: nodeSocket, for: .writing)
      link?.send(Array(world.room.prefix(count)))
    }
  }

  /// The node is gone: what it has written goes its way.
  func processEnded() {
    collect()
    end()
  }

  func receive(_ bytes: [UInt8], from link: SimulatedLink) {
    unsent += bytes
    push()
  }

  func linkEnded(_ link: SimulatedLink) {
    isEnding = true
    push()
  }

  private func push() {
    guard descriptor >= 0 else { return }
    if !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { SocketPair.send(descriptor, $0) }
      if count > 0 { unsent.removeFirst(count) }
      process.lookAgain(at: nodeSocket, for: .reading)
      // A socket that is full: the node has not read yet.
      if !unsent.isEmpty, count >= 0 || errno == EAGAIN {
        return world.scheduler.at(world.scheduler.now + 3_000_000) { [self] in push() }
      }
    }
    if isEnding { close() }
  }

  /// The node has closed its socket.
  private func end() {
    guard descriptor >= 0 else { return }
    link?.giveUp()
    close()
  }

  func close() {
    guard descriptor >= 0 else { return }
    SocketPair.close(descriptor)
    descriptor = -1
    link = nil
    world.closed(self)
    process.lookAgain(at: nodeSocket)
  }
}
