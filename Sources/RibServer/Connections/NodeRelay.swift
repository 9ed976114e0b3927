import WireHTTP

/// A connection to another node, over which a client speaks to its session there: its bytes pass as they are.
///
/// | state        | meaning                                                     | ends                                    |
/// |--------------|-------------------------------------------------------------|-----------------------------------------|
/// | `connecting` | what the client has said is on its way                      | without a connection in time            |
/// | `upgrading`  | the answer is awaited that the client has from this node already | without one in time, or with another one |
/// | `open`       | bytes go both ways                                          | with either end                         |
/// | `closed`     | the descriptor is given up                                  |                                         |
///
/// Who reads slowly slows the other end down: at most 64 KiB wait in each direction.
///
/// `@unchecked Sendable`: every method is called on the client's loop, which a client that is passed on does not leave.
final class NodeRelay: PollTarget, @unchecked Sendable {
  private enum State {
    case connecting
    case upgrading(ResponseReader)
    case open
    case closed
  }

  /// What waits in one direction at most before no more is read for it.
  static let limit = 65_536
  /// How long the other node may take to answer at all.
  private static let patience = Duration.seconds(5)

  /// The other node.
  let node: Int
  private let loop: EventLoop
  private let descriptor: Int32
  private weak var client: Connection?
  private let isUpgrade: Bool
  private var watch: Int?
  private var state = State.connecting
  private var interest: Interest = [.reading, .writing]
  /// What waits for the node.
  private var output = SendQueue()
  /// What has come before the answer was read.
  private var input = ReceiveBuffer()
  /// Whether the client says nothing more.
  private var isEnding = false

  /// A relay to a node.
  ///
  /// - Parameters:
  ///   - descriptor: a socket that connects.
  ///   - node: the node.
  ///   - client: whose bytes it passes on.
  ///   - opening: what is said first.
  ///   - isUpgrade: whether the answer's head is none of the client's, as it has one.
  init(_ descriptor: Int32, to node: Int, for client: Connection, saying opening: [UInt8], isUpgrade: Bool) {
    (self.descriptor, self.node, self.client, self.isUpgrade) = (descriptor, node, client, isUpgrade)
    loop = client.loop
    output.bytes = opening
  }

  /// Begins to read and to write.
  func start() {
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: interest, self)
    } catch {
      closeDescriptor(descriptor)
      return end()
    }
    loop.execute(after: Self.patience) { [weak self] in self?.giveUpUnlessAnswered() }
  }

  private func giveUpUnlessAnswered() {
    switch state {
    // A session may take its time for the answer to a request.
    case .connecting where isUpgrade || output.sentCount == 0: end()
    case .upgrading: end()
    case .connecting, .open, .closed: break
    }
  }

  /// Whether the client may say more.
  var hasRoom: Bool { !isEnding && output.count < Self.limit }

  /// Passes on what the client has said.
  ///
  /// - Parameter bytes: the next ones.
  func pass(_ bytes: Span<UInt8>) {
    guard case .open = state else { return }
    guard output.send(bytes, to: descriptor) else { return end() }
    updateInterest()
  }

  /// Goes on reading, as the client has taken what there was.
  func goOn() { if watch != nil { updateInterest() } }

  /// The client says nothing more: the node is told so, once it has all.
  func endSending() {
    isEnding = true
    if output.isEmpty { shutDownSending(descriptor) }
  }

  /// Ends the connection; nobody is told.
  func close() {
    state = .closed
    client = nil
    if let watch { loop.unwatch(watch) }
    watch = nil
  }

  /// Ends the connection, and tells the client's.
  private func end() {
    guard let client else { return close() }
    let isOpen = if case .open = state { true } else { false }
    close()
    if isOpen { client.relayEnded() } else { client.relayFailed() }
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if readiness.contains(.readable) {
      read()
    } else if readiness.contains(.hungUp) {
      return end()
    }
    if readiness.contains(.writable) { flush() }
  }

  private func flush() {
    guard watch != nil else { return }
    let wasFull = !hasRoom
    guard output.send(to: descriptor) else { return end() }
    if output.isEmpty {
      if case .connecting = state, isUpgrade { state = .upgrading(ResponseReader()) }
      if isEnding { shutDownSending(descriptor) }
    }
    updateInterest()
    if wasFull, hasRoom { client?.goOn() }
  }

  private func updateInterest() {
    guard let watch, let client else { return }
    var wanted: Interest = client.hasRoomForRelay ? .reading : []
    if output.hasSendable { wanted.insert(.writing) }
    guard wanted != interest else { return }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  private func read() {
    // The loop's storage serves one event after the other.
    var storage = ReceiveBuffer()
    swap(&storage, &loop.receiveStorage)
    defer { loop.giveBack(&storage) }
    var result = 0
    storage.fill(atLeast: Self.limit) { room in
      result = receiveBytes(descriptor, room)
      return max(result, 0)
    }
    guard result > 0 else {
      if result == 0 || !wouldBlock { end() }
      return
    }
    switch state {
    case .open: break
    case .connecting where !isUpgrade: open()
    case .connecting, .upgrading: return readAnswer(storage)
    case .closed: return
    }
    storage.withUnread { client?.take($0) }
    storage.consume(storage.count)
    updateInterest()
  }

  private func readAnswer(_ bytes: ReceiveBuffer) {
    guard case .upgrading(var reader) = state else { return end() }
    bytes.withUnread { input.append($0) }
    guard let head = try? reader.nextHead(from: &input) else {
      state = .upgrading(reader)
      // An answer that is none is not waited for.
      if input.count > Self.limit { end() }
      return
    }
    guard head.status == .switchingProtocols else { return end() }
    open()
    input.withUnread { client?.take($0) }
    input = ReceiveBuffer()
  }

  private func open() {
    state = .open
    client?.relayOpened()
  }
}
