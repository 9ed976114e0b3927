import Wire
import WireHTTP

/// The events of several clients in one answer (PROTOCOL.md, "joined-events").
///
/// Each client has a connection of its own within the process, which asks for that client's events as any other connection does. So the
/// client is authenticated, finds its session on another loop or at another node, and is slowed down as others are. This class has the
/// other ends of those connections. It numbers the events, and passes them on one after the other: while one client's event is on its way,
/// the events of the others wait.
///
/// A client's last event is its `bye`. A client whose connection ends without one is told `moved`, and comes back at once.
///
/// `@unchecked Sendable`: every method is called on the loop of the answer's connection, which does not leave it.
final class JoinedEvents: Relay, @unchecked Sendable {
  /// How many clients may be joined: each takes two descriptors.
  static let limit = 32
  /// The longest answer that is read of a client that is refused.
  private static let longestProblem = 16_384

  /// The other end of a client's connection.
  ///
  /// `@unchecked Sendable`: it belongs to the loop of its owner.
  private final class Source: PollTarget, @unchecked Sendable {
    enum State {
      /// The head of the answer is awaited.
      case opening(ResponseReader)
      /// The client is refused: the body says why.
      case refused(HTTPStatus)
      case events(EventMarker)
      case over
    }

    /// The client's place in the request.
    let number: Int
    let descriptor: Int32
    weak var owner: JoinedEvents?
    /// Nil once the connection has ended.
    var watch: Int?
    var state = State.opening(ResponseReader())
    var interest = Interest.reading
    /// What was read, and not passed on yet.
    var input = ReceiveBuffer()

    init(_ number: Int, _ descriptor: Int32, of owner: JoinedEvents) {
      (self.number, self.descriptor, self.owner) = (number, descriptor, owner)
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    func ready(_ readiness: Readiness) { owner?.read(self, isHungUp: readiness.contains(.hungUp)) }
  }

  private let loop: EventLoop
  /// The connection of the answer; nil once the answer is over.
  private weak var client: Connection?
  private var sources: [Source] = []
  /// The source that has sent half an event.
  private var current: Source?
  /// Bytes that the client has sent behind its request.
  private var ignoredCount = 0
  /// What goes to the client next.
  private var output: [UInt8] = []

  /// The answer of a connection.
  ///
  /// - Parameter client: the connection.
  init(to client: Connection) { (self.client, loop) = (client, client.loop) }

  /// Begins to listen to a client's connection.
  ///
  /// - Parameter descriptor: its other end, which is closed with the answer.
  /// - Throws: ``SystemError`` if it cannot be watched; it is closed then.
  func add(_ descriptor: Int32) throws(SystemError) {
    let source = Source(sources.count, descriptor, of: self)
    do throws(SystemError) {
      source.watch = try loop.watch(descriptor, for: .reading, source)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    sources.append(source)
  }

  // MARK: Relay

  let room = NodeRelay.limit

  /// The client has said all with its request: what comes behind that is not looked at, and is too much soon.
  func pass(_ bytes: Span<UInt8>) -> Bool {
    ignoredCount += bytes.count
    return ignoredCount <= NodeRelay.limit
  }

  func goOn() { pump() }

  func endSending() { end() }

  func leads(to node: Int) -> Bool { false }

  func close() {
    (client, current, output) = (nil, nil, [])
    for source in sources {
      hangUp(source)
      (source.state, source.input) = (.over, ReceiveBuffer())
    }
  }

  func end() {
    let client = client
    close()
    client?.relayEnded()
  }

  private func hangUp(_ source: Source) {
    if let watch = source.watch { loop.unwatch(watch) }
    source.watch = nil
  }

  // MARK: Reading

  /// How many bytes the answer has room for.
  private var freeCount: Int { client.map { max(NodeRelay.limit - $0.output.count - output.count, 0) } ?? 0 }

  private func mayPass(_ source: Source) -> Bool { current == nil || current === source }

  private func updateInterest() {
    let hasRoom = freeCount > 0
    for source in sources {
      guard let watch = source.watch else { continue }
      let wanted: Interest = hasRoom && mayPass(source) ? .reading : []
      guard wanted != source.interest else { continue }
      source.interest = wanted
      loop.change(watch, to: wanted)
    }
  }

  /// Reads what a client's connection has written.
  ///
  /// - Parameters:
  ///   - source: the connection's other end.
  ///   - isHungUp: whether nothing more comes than what the system has: all of it is read, so that it can be closed.
  private func read(_ source: Source, isHungUp: Bool) {
    // The loop's storage serves one event after the other.
    var storage = ReceiveBuffer()
    swap(&storage, &loop.receiveStorage)
    source.input.withUnread { storage.append($0) }
    source.input = storage
    if isHungUp {
      while receive(from: source, most: NodeRelay.limit) {}
    } else if mayPass(source) {
      _ = receive(from: source, most: freeCount)
    }
    pump()
    loop.giveBack(&source.input)
  }

  /// Reads once.
  ///
  /// - Returns: whether there was something, and may be more.
  private func receive(from source: Source, most: Int) -> Bool {
    guard source.watch != nil, most > 0 else { return false }
    var result = 0
    source.input.fill(atLeast: NodeRelay.limit) { room in
      result = receiveBytes(source.descriptor, UnsafeMutableRawBufferPointer(rebasing: room.prefix(most)))
      return max(result, 0)
    }
    if result == 0 || result < 0 && !wouldBlock { hangUp(source) }
    return result > 0
  }

  // MARK: Passing on

  /// Passes on what there is, one event after the other, as far as the answer has room.
  private func pump() {
    var hasMoved = true
    while hasMoved {
      hasMoved = false
      for source in sources where mayPass(source) && passOn(from: source) { hasMoved = true }
    }
    var bytes: [UInt8] = []
    swap(&bytes, &output)
    if !bytes.isEmpty { client?.take(bytes.span) }
    // The client may be gone by now.
    guard client != nil else { return }
    if sources.allSatisfy(\.isOver) { end() } else { updateInterest() }
  }

  /// Passes on what is there of one client: an event, or as much of it as the answer has room for.
  ///
  /// - Returns: whether there may be more.
  private func passOn(from source: Source) -> Bool {
    guard client != nil else { return false }
    switch source.state {
    case .opening(var reader):
      do throws(HTTPError) {
        let head = try reader.nextHead(from: &source.input)
        source.state = .opening(reader)
        guard let head else { return endIfHungUp(source) }
        source.state = head.status == .ok ? .events(EventMarker()) : .refused(head.status)
      } catch {
        say(.failed, error.reason, to: source)
      }
      return true
    case .refused(let status):
      guard source.watch == nil || source.input.count > Self.longestProblem else { return false }
      refuse(source, status)
      return true
    case .events(var marker):
      guard !source.input.isEmpty else { return endIfHungUp(source) }
      let free = freeCount
      let count = source.input.withUnread { bytes in
        marker.mark(bytes.extracting(..<min(bytes.count, free)), as: source.number, into: &output)
      }
      source.input.consume(count)
      source.state = .events(marker)
      current = marker.isInside ? source : nil
      return count > 0
    case .over: return false
    }
  }

  /// Ends a client's part if its connection has ended; half an event cannot be taken back, so that ends the answer.
  private func endIfHungUp(_ source: Source) -> Bool {
    guard source.watch == nil else { return false }
    if current === source {
      end()
    } else if case .events(let marker) = source.state, marker.hasSaidBye {
      source.state = .over
    } else {
      say(.moved, "The events of this client have ended: connect again.", to: source)
    }
    return true
  }

  /// Tells a client why it is refused, as the problem document says it.
  private func refuse(_ source: Source, _ status: HTTPStatus) {
    var reader = JSONReader()
    let problem = source.input.withUnread { bytes in try? reader.read(bytes).root }
    let reason = problem?["detail"]?.string ?? status.reasonPhrase
    let bye = problem?["code"]?.name.flatMap(Bye.init(rawValue:))
    let other: Bye =
      switch status {
      case .serviceUnavailable, .tooManyRequests: .busy
      case .badRequest: .badMessage
      default: .failed
      }
    say(bye ?? other, reason, to: source)
  }

  /// Has a client told why its events end.
  private func say(_ bye: Bye, _ message: String, to source: Source) {
    hangUp(source)
    (source.state, source.input) = (.over, ReceiveBuffer())
    var json = JSONWriter()
    json.bye(bye, message: message)
    output.append(contentsOf: "event: \(source.number)\ndata: ".utf8)
    output.append(contentsOf: json.bytes)
    output.append(contentsOf: "\n\n".utf8)
  }
}
