import Logging
import Synchronization
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A client's socket: reads, hands on what was said, writes what is to be said, and ends.
///
/// | state      | meaning                                         | ends by itself                         |
/// |------------|-------------------------------------------------|----------------------------------------|
/// | `http`     | requests are read                               | without a request in time              |
/// | `greeting` | upgraded; `hello` is awaited                    | without `hello` in time                |
/// | `live`     | a session's renderer                            | when the peer is silent for too long   |
/// | `closing`  | all is said; what comes is not looked at        | when the peer closes, or after a while |
/// | `closed`   | the descriptor is given up                      |                                        |
///
/// `@unchecked Sendable`: a connection belongs to its loop. Every method is called on the loop's queue: by the poller, by
/// a job of the loop, or by the session, whose executor the loop is.
final class Connection: PollTarget, @unchecked Sendable {
  enum State {
    case http
    case greeting
    case live(Session)
    case closing
    case closed
  }

  let loop: EventLoop
  let context: ServerContext
  var state = State.http
  var input = ReceiveBuffer()
  var output = SendQueue()
  var requests = RequestReader()
  var frames: FrameReader
  var bucket: TokenBucket

  private let descriptor: Int32
  private var watch = -1
  private var id = 0
  private var interest: Interest = .reading
  /// When the state began or, of a live connection, when the peer was last heard.
  private var since: UInt64
  /// Whether the client has used up its actions for now.
  private var isThrottled = false

  /// Takes over an accepted, non-blocking socket.
  ///
  /// To be called on the loop.
  init(_ descriptor: Int32, on loop: EventLoop, _ context: ServerContext) {
    self.descriptor = descriptor
    self.loop = loop
    self.context = context
    let limits = context.settings.limits
    frames = FrameReader(role: .server, messageLimit: limits.messageBytes > 0 ? limits.messageBytes : .max)
    bucket = TokenBucket(rate: limits.actionsPerSecond, burst: limits.actionBurst)
    since = loop.now
  }

  /// Begins to read.
  func start() {
    context.connectionCount.add(1, ordering: .relaxed)
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: .reading, self)
    } catch {
      context.logger.error("A connection could not be watched.", metadata: ["error": "\(error)"])
      state = .closed
      context.connectionCount.subtract(1, ordering: .relaxed)
      Glibc.close(descriptor)
      return
    }
    id = loop.add(self)
    loop.schedule(id, after: context.settings.timeouts.handshakeSeconds)
  }

  // MARK: Reading

  func ready(_ readiness: Readiness) {
    if readiness.contains(.readable), interest.contains(.reading) {
      read()
    } else if readiness.contains(.hungUp) {
      return abort()
    }
    if readiness.contains(.writable) { flush() }
  }

  private func read() {
    borrowStorage()
    let descriptor = descriptor
    var result = 0
    input.fill(atLeast: 65_536) { room in
      result = recv(descriptor, room.baseAddress, room.count, 0)
      return max(result, 0)
    }
    let failure = errno
    if result > 0 {
      since = loop.now
      process()
      flush()
    } else if result == 0 || (failure != EAGAIN && failure != EWOULDBLOCK && failure != EINTR) {
      abort()
    }
    returnStorage()
  }

  /// The loop's storage serves one event of one connection after the other; only what is left over stays with this one.
  private func borrowStorage() {
    var borrowed = ReceiveBuffer()
    swap(&borrowed, &loop.receiveStorage)
    input.withUnread { borrowed.append($0) }
    input = borrowed
  }

  private func returnStorage() {
    loop.receiveStorage = input.releaseStorage()
  }

  /// Handles what was received, as far as it goes: until something is missing, or the client must wait.
  private func process() {
    while canGoOn {
      let goesOn =
        switch state {
        case .http: processRequest()
        case .greeting, .live: processFrame()
        case .closing, .closed: discard()
        }
      guard goesOn else { break }
    }
  }

  private func discard() -> Bool {
    input.consume(input.count)
    return false
  }

  /// A client that has used up its actions, or does not read, is not read from: TCP slows it down.
  private var canGoOn: Bool { !isThrottled && output.count <= context.settings.limits.writeQueueBytes }

  /// Stops reading for a while.
  ///
  /// Nothing is refused or lost.
  func pause(nanoseconds: UInt64) {
    isThrottled = true
    loop.execute(after: .nanoseconds(nanoseconds)) { [weak self] in self?.goOn() }
  }

  private func goOn() {
    isThrottled = false
    resumeProcessing()
  }

  private func resumeProcessing() {
    process()
    flush()
    // What is left over may be little, and the storage it stands in large.
    _ = input.releaseStorage()
  }

  // MARK: Writing

  /// Whether so much waits to be sent that the client gets no more patches until it has read all of it.
  var isCongested: Bool { output.count > context.settings.limits.writeQueueBytes }

  /// Puts the message in the loop's writer on its way.
  func sendMessage() {
    if output.isEmpty, output.bytes.capacity == 0 { swap(&output.bytes, &loop.sendStorage) }
    let message = loop.json.bytes
    FrameWriter.server.text(message.span, into: &output.bytes)
  }

  /// Sends what the socket takes, and does what waited for it.
  ///
  /// To be called when something was handled: it also decides what the socket is watched for.
  func flush() {
    if case .closed = state { return }
    guard !output.isEmpty else { return updateInterest() }
    let wasCongested = !canGoOn && !isThrottled
    guard output.send(to: descriptor) else { return abort() }
    if output.isEmpty {
      loop.sendStorage = output.releaseStorage()
      if loop.sendStorage.capacity > 1 << 20 { loop.sendStorage = [] }
      didDrain()
      if wasCongested { return resumeProcessing() }
    }
    updateInterest()
  }

  private func didDrain() {
    switch state {
    case .closing: shutdown(descriptor, Int32(SHUT_WR))
    case .live(let session):
      if session.assumeIsolated({ $0.didDrain() }) { flush() }
    case .http, .greeting, .closed: break
    }
  }

  private func updateInterest() {
    if case .closed = state { return }
    var wanted: Interest = []
    if canGoOn || isClosing { wanted.insert(.reading) }
    if !output.isEmpty { wanted.insert(.writing) }
    guard wanted != interest else { return }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  private var isClosing: Bool { if case .closing = state { true } else { false } }

  // MARK: Ending

  /// Says nothing more after what is queued, and waits for the peer to close.
  func finish() {
    leaveSession()
    state = .closing
    since = loop.now
    loop.schedule(id, after: context.settings.timeouts.closingSeconds)
    if output.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  /// Closes the socket.
  ///
  /// Whatever is queued is lost.
  func abort() {
    if case .closed = state { return }
    leaveSession()
    state = .closed
    input.consume(input.count)
    _ = output.releaseStorage()
    loop.unwatch(watch)
    context.connectionCount.subtract(1, ordering: .relaxed)
    loop.remove(id)
  }

  private func leaveSession() {
    if case .live(let session) = state { session.assumeIsolated { $0.end() } }
  }

  /// Begins a state anew, with all the time it has.
  func restartDeadline() { since = loop.now }

  /// Ends what takes too long.
  func checkDeadline() {
    let elapsed = Int((loop.now - since) / 1_000_000_000)
    let timeouts = context.settings.timeouts
    let limit =
      switch state {
      case .http, .greeting: timeouts.handshakeSeconds
      case .live: timeouts.heartbeatSeconds + 10
      case .closing: timeouts.closingSeconds
      case .closed: 0
      }
    guard elapsed >= limit else { return loop.schedule(id, after: limit - elapsed) }
    switch state {
    case .http: requestTimedOut()
    case .greeting: say(.noHello, "No hello within \(limit) seconds.")
    case .live: say(.silent, "Nothing was heard for \(limit) seconds.")
    case .closing: abort()
    case .closed: break
    }
    flush()
  }

  /// Ends the connection because the server goes down.
  func shutDown() {
    switch state {
    case .greeting, .live: say(.shutdown, "The server is going down.")
    case .http: finish()
    case .closing, .closed: break
    }
    flush()
  }
}
