import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A client's connection, or another node's: bytes on their way in both directions, late, in pieces, or never.
///
/// The socket below is real, and the link is at one of its ends.
final class SimulatedLink {
  let number: Int
  let process: SimulatedProcess
  unowned let world: World
  private weak var client: (any LinkOwner)?
  /// The link's end of the socket; −1 once it is closed.
  private(set) var descriptor: Int32
  /// The number of the server's end among its sockets.
  private let serverSocket: Int
  /// What is on its way to the server, in order.
  private var onTheWay: [[UInt8]] = []
  /// What waits for room in the socket.
  private var unsent: [UInt8] = []
  /// When the last bytes arrive that are on their way to the server, and to the client.
  private var lastArrivals: (up: UInt64, down: UInt64) = (0, 0)
  /// Until when nothing arrives.
  private var stallEnd: UInt64 = 0
  /// Whether nothing arrives ever again, and neither end hears of it.
  private var isSilent = false
  private var hasEnded = false
  /// Nanoseconds that bytes are on their way, at most.
  private let latency: UInt64

  /// A connection that the server has to accept.
  init(
    _ number: Int, to process: SimulatedProcess, at listener: SimulatedListener?, in world: World,
    for client: any LinkOwner
  ) throws(SystemError) {
    self.number = number
    self.process = process
    self.world = world
    self.client = client
    latency = world.network.magnitude(bits: 28)
    let capacity: Int32 = world.network.oneIn(4) ? Int32(2048 << world.network.below(6)) : 1 << 17
    let (server, own) = try SocketPair.make(capacity: capacity)
    (descriptor, serverSocket) = (own, process.takeSocket(server))
    if let listener {
      listener.enqueue(server)
      process.lookAgain(at: listener.socket)
    } else {
      SocketPair.close(server)
    }
  }

  deinit { precondition(descriptor < 0, "link \(number) is still open") }

  private var now: UInt64 { world.scheduler.now }
  /// The process that has dialled; nil for a client.
  var dialler: SimulatedProcess? { (client as? DialledSocket)?.process }

  /// Whether it connects two processes.
  func isBetween(_ one: SimulatedProcess, _ other: SimulatedProcess) -> Bool {
    process === one && dialler === other || process === other && dialler === one
  }

  // MARK: To the server

  /// Sends bytes, perhaps in pieces.
  func send(_ bytes: [UInt8]) {
    guard !isSilent, descriptor >= 0 else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = world.network.oneIn(3) ? 1 + world.network.below(rest.count) : rest.count
      let piece = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      lastArrivals.up = max(lastArrivals.up, now + 1 + world.network.next() % latency)
      onTheWay.append(piece)
      world.scheduler.at(lastArrivals.up) { [self] in arrive() }
    }
  }

  /// The next piece is there.
  private func arrive() {
    guard descriptor >= 0, !isSilent else { return }
    guard now >= stallEnd else { return world.scheduler.at(stallEnd) { [self] in arrive() } }
    unsent += onTheWay.removeFirst()
    push()
  }

  private func push() {
    guard descriptor >= 0, !unsent.isEmpty else { return }
    let count = unsent.withUnsafeBytes { SocketPair.send(descriptor, $0) }
    if count > 0 { unsent.removeFirst(count) }
    process.lookAgain(at: serverSocket, for: .reading)
    // A socket that is full: the server has not read yet.
    if !unsent.isEmpty, count >= 0 || errno == EAGAIN { world.scheduler.at(now + 3_000_000) { [self] in push() } }
  }

  // MARK: To the client

  /// Takes what the server has sent.
  func collect() {
    guard descriptor >= 0, !isSilent, now >= stallEnd else { return }
    while descriptor >= 0 {
      let count = recv(descriptor, &world.room, world.room.count, 0)
      guard count > 0 else {
        if count == 0 || errno != EAGAIN { endLater() }
        return
      }
      process.lookAgain(at: serverSocket, for: .writing)
      bring(Array(world.room.prefix(count)))
    }
  }

  private func bring(_ bytes: [UInt8]) {
    lastArrivals.down = max(lastArrivals.down, now + 1 + world.network.next() % latency)
    world.scheduler.at(lastArrivals.down) { [self] in
      guard !hasEnded, !isSilent else { return }
      client?.receive(bytes, from: self)
    }
  }

  /// Tells the client of the end once all is there that was sent.
  private func endLater() {
    close()
    world.scheduler.at(max(lastArrivals.down, now + 1)) { [self] in end() }
  }

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    client?.linkEnded(self)
  }

  // MARK: Faults

  /// Nothing arrives for a while.
  func stall(for nanoseconds: UInt64) {
    stallEnd = max(stallEnd, now + nanoseconds)
    world.scheduler.at(stallEnd) { [self] in world.lookAtLinks(of: process) }
  }

  /// What arrives is not held up any longer; of a connection that is silent for ever both ends hear.
  func goOn() {
    stallEnd = 0
    world.lookAtLinks(of: process)
    guard isSilent else { return }
    close()
    end()
  }

  /// Nothing arrives any more; the server hears of it late, if its pings have not told it before.
  func fallSilent(for nanoseconds: UInt64) {
    isSilent = true
    world.scheduler.at(now + nanoseconds) { [self] in
      close()
      end()
    }
  }

  /// Cuts the connection: some of what is on its way still arrives, and each end hears of it at its own time.
  func cut() {
    let delay = world.network.magnitude(bits: 30)
    if world.network.oneIn(2) {
      world.scheduler.at(now + delay) { [self] in close() }
      hasEnded = true
      client?.linkEnded(self)
    } else {
      collect()
      close()
      world.scheduler.at(now + delay) { [self] in end() }
    }
  }

  /// The client gives it up: what it has sent may still arrive.
  func giveUp() {
    hasEnded = true
    let delay = world.network.magnitude(bits: 31)
    world.scheduler.at(max(lastArrivals.up, now) + delay) { [self] in close() }
  }

  /// The server's process is gone: what it has sent arrives, as far as it was sent.
  func processEnded() {
    collect()
    guard descriptor >= 0 else { return }
    endLater()
  }

  func close() {
    guard descriptor >= 0 else { return }
    SocketPair.close(descriptor)
    descriptor = -1
    world.closed(self)
    process.lookAgain(at: serverSocket)
  }
}

/// Whose link it is.
protocol LinkOwner: AnyObject {
  /// Bytes have come.
  func receive(_ bytes: [UInt8], from link: SimulatedLink)
  /// The connection is gone.
  func linkEnded(_ link: SimulatedLink)
}
