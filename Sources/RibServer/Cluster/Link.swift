import Wire
import WireHTTP

/// A connection between two nodes: a WebSocket with text messages.
///
/// The node that dials shows the other one's secret, which only those know who can read the store. A client that another node passes on comes
/// the same way. Other requests are not answered.
///
/// | state      | meaning                                               | ends                                      |
/// |------------|-------------------------------------------------------|-------------------------------------------|
/// | `dialling` | the request is on its way, or its answer              | without an answer in time                 |
/// | `accepted` | the request is awaited                                | without one in time, or with another one  |
/// | `open`     | messages go both ways                                 | when nothing has come for five seconds    |
/// | `closed`   | the descriptor is given up                            |                                           |
///
/// Every method is called on the loop of the cluster's links.
final class Link: PollTarget {
  private enum State {
    case dialling(key: String, ResponseReader)
    case accepted(RequestReader)
    case open
    case closed
  }

  /// What a link tells.
  protocol Owner: AnyObject {
    /// This node's number.
    var own: Int { get }
    /// The secret that a node has to show that dials this one.
    var ownSecret: String { get }
    /// The link is open.
    func didOpen(_ link: Link)
    /// The other node has said something.
    func didReceive(_ message: LinkMessage, over link: Link)
    /// The link is no more.
    func didClose(_ link: Link)
    /// The connection is none of a link's, but a client's that another node passes on; with what has come of its bytes.
    func didAccept(_ client: RelayedClient, _ descriptor: Int32, _ received: ReceiveBuffer)
  }

  /// Where a node that dials asks.
  static let path = "/node"
  /// How long a link may be silent, and how long it may take to open, in nanoseconds.
  static let patience: UInt64 = 5_000_000_000
  /// Bytes of a message, and bytes that may wait to be sent.
  private static let (messageLimit, queueLimit) = (1 << 20, 16 << 20)

  /// The other node; 0 before it is known.
  private(set) var peer: Int
  private let loop: EventLoop
  private let descriptor: Int32
  private weak var owner: (any Owner)?
  private var state: State
  private var watch: Int?
  private var input = ReceiveBuffer()
  private var output = SendQueue()
  private var frames: FrameReader
  private var reader = JSONReader(limits: JSONLimits(bytes: Link.messageLimit))
  private let writer: FrameWriter
  /// When something came last over an open link, or the link was made, as the loop's time.
  private var lastSign: UInt64

  /// Whether messages can be sent.
  var isOpen: Bool { if case .open = state { true } else { false } }

  /// A link to a node that this one dials.
  ///
  /// - Parameters:
  ///   - descriptor: a socket that connects.
  ///   - node: the other node.
  ///   - own: this node's number.
  ///   - loop: where it lives.
  ///   - owner: whom it tells.
  init(_ descriptor: Int32, dialling node: ClusterNode, as own: Int, on loop: EventLoop, _ owner: any Owner) {
    let environment = loop.work.environment
    let random = (0..<16).map { _ in UInt8(truncatingIfNeeded: environment.randomWord()) }
    let key = Base64.encode(random.span)
    peer = node.id
    state = .dialling(key: key, ResponseReader())
    frames = FrameReader(role: .client, messageLimit: Self.messageLimit)
    writer = .client { UInt32(truncatingIfNeeded: environment.randomWord()) }
    (self.descriptor, self.loop, self.owner, lastSign) = (descriptor, loop, owner, loop.now)
    output.bytes = WebSocketHandshake.request(
      host: node.address, path: Self.path, key: key, subprotocols: [],
      headers: NodeCredential(node: own, secret: node.secret).fields)
  }

  /// A link that another node dials.
  ///
  /// - Parameters:
  ///   - descriptor: the accepted socket.
  ///   - loop: where it lives.
  ///   - owner: whom it tells.
  init(accepted descriptor: Int32, on loop: EventLoop, _ owner: any Owner) {
    peer = 0
    state = .accepted(RequestReader())
    frames = FrameReader(role: .server, messageLimit: Self.messageLimit)
    writer = .server
    (self.descriptor, self.loop, self.owner, lastSign) = (descriptor, loop, owner, loop.now)
  }

  /// Begins to read and to write.
  func start() {
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: [.reading, .writing], self)
    } catch {
      closeDescriptor(descriptor)
      close()
    }
  }

  /// Whether so much waits to be sent that publications are left out.
  var isBehind: Bool { output.count > Self.messageLimit }

  /// Whether what may be left out is to be sent.
  ///
  /// - Parameter json: a message.
  /// - Returns: false if so much waits already, or the message is too long.
  func canTake(_ json: [UInt8]) -> Bool { !isBehind && json.count <= Self.messageLimit }

  /// Sends a message; one that is longer than a message may be is left out.
  func send(_ message: LinkMessage) { send(message.json) }

  /// The same of one that several links send.
  func send(_ json: [UInt8]) {
    guard isOpen else { return }
    guard json.count <= Self.messageLimit else { return }
    writer.text(json.span, into: &output.bytes)
    // A node that takes nothing is not there.
    guard output.count <= Self.queueLimit else { return close() }
    flush()
  }

  /// Ends the link if nothing has come for too long.
  ///
  /// - Parameter now: the loop's time.
  func check(at now: UInt64) { if now - min(now, lastSign) > Self.patience { close() } }

  /// Ends the link.
  func close() {
    if case .closed = state { return }
    state = .closed
    if let watch { loop.unwatch(watch) }
    watch = nil
    owner?.didClose(self)
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if readiness.contains(.readable) { read() } else if readiness.contains(.hungUp) { return close() }
    if readiness.contains(.writable) { flush() }
  }

  private func read() {
    var result = 0
    input.fill(atLeast: 16_384) { room in
      result = receiveBytes(descriptor, room)
      return max(result, 0)
    }
    guard result > 0 else {
      if result == 0 || !wouldBlock { close() }
      return
    }
    if isOpen { lastSign = loop.now }
    do {
      try process()
    } catch {
      close()
    }
  }

  private func process() throws {
    switch state {
    case .dialling(let key, var reader):
      let head = try reader.nextHead(from: &input)
      state = .dialling(key: key, reader)
      guard let head else { return }
      try WebSocketHandshake.check(head, key: key)
      open()
    case .accepted(var reader):
      let head = try reader.nextHead(from: &input)
      state = .accepted(reader)
      guard let head else { return }
      try accept(head)
    case .open: break
    case .closed: return
    }
    guard isOpen else { return }
    while let event = try frames.nextEvent(from: &input) {
      guard case .text(let payload) = event else { throw Refusal() }
      // One that a newer version says is none of this one's; nor is one that is too deep: it may be a publication.
      let json = try? input.withPayload(payload) { bytes throws(JSONError) in try reader.read(bytes) }.root
      if let message = json.flatMap({ LinkMessage($0) }) { owner?.didReceive(message, over: self) }
      guard isOpen else { return }
    }
  }

  private func accept(_ head: RequestHead) throws {
    guard let owner, let credential = NodeCredential(head, toldTo: owner) else { throw Refusal() }
    if let client = RelayedClient(head, from: credential.node) { return handOver(client) }
    guard head.path == Self.path else { throw Refusal() }
    let (response, _, _) = try WebSocketHandshake.answer(head, subprotocols: [])
    response.write(into: &output.bytes, keepAlive: true, omitBody: true, date: loop.date)
    peer = credential.node
    open()
    flush()
  }

  /// Gives the connection away: it is a client's.
  private func handOver(_ client: RelayedClient) {
    state = .closed
    owner?.didClose(self)
    guard let watch, let owner else { return }
    self.watch = nil
    let (descriptor, received) = (descriptor, input)
    loop.unwatch(watch) { owner.didAccept(client, descriptor, received) }
  }

  private func open() {
    state = .open
    lastSign = loop.now
    owner?.didOpen(self)
  }

  private func flush() {
    guard let watch else { return }
    guard output.send(to: descriptor) else { return close() }
    loop.change(watch, to: output.hasSendable ? [.reading, .writing] : .reading)
  }

  /// Somebody who is no node, or does not keep to the protocol.
  private struct Refusal: Error {}
}
