import WireHTTP

/// A connection to another node, over which a client speaks to its session there: its bytes pass as they are.
///
/// | state      | meaning                                                                  | ends                          |
/// |------------|--------------------------------------------------------------------------|-------------------------------|
/// | `dialling` | the node is looked up                                                    | without a socket in time      |
/// | `opening`  | what the client has said is on its way; the answer of a WebSocket is awaited that the client has from this node already | without one in time, or with another one |
/// | `open`     | bytes go both ways                                                       | with either end               |
/// | `closed`   | the descriptor is given up                                               |                               |
///
/// Who reads slowly slows the other end down: at most 64 KiB wait in each direction, and at the end what the system still has.
///
/// `@unchecked Sendable`: every method is called on the client's loop, which a client that is passed on does not leave.
final class NodeRelay: Relay, PollTarget, @unchecked Sendable {
  private enum State {
    case dialling
    /// With what reads the answer of a WebSocket; nil for a request, whose answer is the client's.
    case opening(ResponseReader?)
    case open
    case closed
  }

  /// What waits in one direction at most before no more is read for it.
  static let limit = 65_536
  /// How long it may take until the node answers at all.
  private static let patience = Duration.seconds(5)

  private let node: Int
  private let loop: EventLoop
  private weak var client: Connection?
  private let isUpgrade: Bool
  /// The relayed client's description, which the node reads first, and the client's own bytes behind it.
  private let introduction: RelayedClient
  private var said: [UInt8]
  private var descriptor: Int32 = -1
  private var watch: Int?
  private var state = State.dialling
  private var interest: Interest = [.reading, .writing]
  /// What waits for the node.
  private var output = SendQueue()
  /// What has come before the answer was read.
  private var input = ReceiveBuffer()
  /// Whether the client says nothing more.
  private var isEnding = false

  /// A relay to a node that is being looked up.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - client: whose bytes it passes on.
  ///   - introduction: what is said of the client first.
  ///   - said: what the client has said.
  ///   - isUpgrade: whether the client is one of a WebSocket, and has the answer to its request.
  init(to node: Int, for client: Connection, _ introduction: RelayedClient, _ said: [UInt8], isUpgrade: Bool) {
    (self.node, self.client, self.isUpgrade) = (node, client, isUpgrade)
    (self.introduction, self.said) = (introduction, said)
    loop = client.loop
    loop.execute(after: Self.patience) { [weak self] in self?.giveUpUnlessAnswered() }
  }

  private func giveUpUnlessAnswered() {
    switch state {
    case .dialling: end()
    // A session may take its time for the answer to a request.
    case .opening: if isUpgrade || output.sentCount == 0 { end() }
    case .open, .closed: break
    }
  }

  /// Connects, and says what the client has said.
  ///
  /// - Parameter destination: the node; nil if it is not known, or not found.
  func begin(_ destination: Cluster.Destination?) {
    guard case .dialling = state else { return }
    guard let (target, address, port) = destination,
      let descriptor = try? loop.work.environment.sockets.connect(address, port)
    else { return end() }
    self.descriptor = descriptor
    introduction.write(into: &output.bytes, to: target)
    output.bytes += said
    said = []
    state = .opening(isUpgrade ? ResponseReader() : nil)
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: interest, self)
    } catch {
      closeDescriptor(descriptor)
      end()
    }
  }

  var room: Int { isEnding ? 0 : max(Self.limit - output.count, 0) }

  func pass(_ bytes: Span<UInt8>) -> Bool {
    guard case .open = state else { return true }
    guard output.send(bytes, to: descriptor) else { return false }
    updateInterest()
    return true
  }

  func leads(to node: Int) -> Bool { self.node == node }

  func goOn() { if watch != nil { updateInterest() } }

  /// The client says nothing more: the node is told so, once it has all.
  func endSending() {
    isEnding = true
    if output.isEmpty { shutDownSending(descriptor) }
  }

  func close() {
    state = .closed
    client = nil
    said = []
    if let watch { loop.unwatch(watch) }
    watch = nil
  }

  func end() {
    guard let client else { return close() }
    let isOpen = if case .open = state { true } else { false }
    close()
    if isOpen { client.relayEnded() } else { client.relayFailed() }
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if readiness.contains(.readable) {
      _ = read(most: Self.limit - min(client?.output.count ?? 0, Self.limit))
    } else if readiness.contains(.hungUp) {
      // Nothing more comes than what the system has, whether the client has room for it or not.
      while read(most: Self.limit) {}
      return end()
    }
    if readiness.contains(.writable) { flush() }
  }

  private func flush() {
    guard watch != nil else { return }
    let wasFull = room == 0
    guard output.send(to: descriptor) else { return end() }
    if output.isEmpty, isEnding { shutDownSending(descriptor) }
    updateInterest()
    if wasFull, room > 0 { client?.goOn() }
  }

  private func updateInterest() {
    guard let watch, let client else { return }
    var wanted: Interest = client.output.count < Self.limit ? .reading : []
    if output.hasSendable { wanted.insert(.writing) }
    guard wanted != interest else { return }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  /// Reads once.
  ///
  /// - Parameter most: how many bytes at most.
  /// - Returns: whether there was something, and may be more.
  private func read(most: Int) -> Bool {
    guard watch != nil, most > 0 else { return false }
    // The loop's storage serves one event after the other.
    var storage = ReceiveBuffer()
    swap(&storage, &loop.receiveStorage)
    defer { loop.giveBack(&storage) }
    var result = 0
    storage.fill(atLeast: Self.limit) { room in
      result = receiveBytes(descriptor, UnsafeMutableRawBufferPointer(rebasing: room.prefix(most)))
      return max(result, 0)
    }
    guard result > 0 else {
      if result == 0 || !wouldBlock { end() }
      return false
    }
    switch state {
    case .open: break
    case .opening(nil): open()
    case .opening(let reader?):
      readAnswer(storage, reader)
      storage.consume(storage.count)
      return true
    case .dialling, .closed: return false
    }
    storage.withUnread { client?.take($0) }
    storage.consume(storage.count)
    updateInterest()
    return true
  }

  private func readAnswer(_ bytes: ReceiveBuffer, _ reader: ResponseReader) {
    bytes.withUnread { input.append($0) }
    var reader = reader
    do throws(HTTPError) {
      let head = try reader.nextHead(from: &input)
      state = .opening(reader)
      guard let head else { return }
      guard head.status == .switchingProtocols else { return end() }
    } catch {
      return end()
    }
    open()
    input.withUnread { client?.take($0) }
    input = ReceiveBuffer()
  }

  private func open() {
    state = .open
    client?.relayOpened()
  }
}
