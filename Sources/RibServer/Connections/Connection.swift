import Logging
import Synchronization
import Wire

/// A client's socket: reads, hands on what was said, writes what is to be said, and ends.
///
/// | state      | meaning                                         | ends by itself                         |
/// |------------|-------------------------------------------------|----------------------------------------|
/// | `http`     | requests are read                               | without a request in time              |
/// | `greeting` | upgraded; `hello` is awaited                    | without `hello` in time                |
/// | `live`     | a session's renderer                            | without a sign of life for too long    |
/// | `echo`     | sends back what it is sent                      | without a sign of life for too long    |
/// | `closing`  | all is said; what comes is not looked at        | when the peer closes, or after a while |
/// | `draining` | the peer says no more; the rest is sent to it   | when it is sent, or after a while      |
/// | `closed`   | the descriptor is given up                      |                                        |
///
/// `@unchecked Sendable`: a connection belongs to its loop. Every method is called on the loop's queue: by the poller, by
/// a job of the loop, or by the session, whose executor the loop is.
final class Connection: PollTarget, @unchecked Sendable {
  enum State {
    case http
    case greeting
    case live(Session)
    case echo
    case closing
    case draining
    case closed
  }

  /// What a connection in the state `http` waits for.
  enum Phase {
    case head
    case body
    /// The next request, after an answer.
    case idle
  }

  let loop: EventLoop
  let context: ServerContext
  var state = State.http
  var input = ReceiveBuffer()
  var output = SendQueue()
  var requests: RequestReader
  /// The request whose body is being read.
  var request: RequestHead?
  /// How far a connection is that speaks HTTP.
  private(set) var phase = Phase.head
  var frames: FrameReader
  var writer = FrameWriter.server
  /// The messages of an array that are still to be handled.
  var messages: JSONElements?
  var bucket: TokenBucket

  let descriptor: Int32
  private let admission: ConnectionCounter.Admission
  private let peer: PeerAddress?
  private var watch = -1
  private(set) var id = 0
  private(set) var interest: Interest = .reading
  /// When the state began or, of a live connection, when the peer last showed life: it was heard, a message that it had
  /// sent was handled, or it took something that had to wait for it.
  private(set) var since: UInt64
  /// When ``checkDeadline()`` is called next.
  private var nextCheck = UInt64.max
  /// When a live connection's peer was last pinged.
  var pingedAt: UInt64 = 0
  /// Whether the client has used up its actions for now, and until when.
  private var isThrottled = false
  private var throttledUntil: UInt64 = 0
  /// Whether something that was received waits because the client must.
  private var isHeldUp = false

  /// Takes over an accepted, non-blocking socket.
  ///
  /// To be called on the loop.
  ///
  /// - Parameters:
  ///   - descriptor: the socket.
  ///   - admission: whether it is one too many.
  ///   - peer: where it comes from, if that is counted.
  ///   - loop: where it lives.
  ///   - context: what it shares.
  init(
    _ descriptor: Int32, _ admission: ConnectionCounter.Admission, from peer: PeerAddress?, on loop: EventLoop,
    _ context: ServerContext
  ) {
    self.descriptor = descriptor
    self.admission = admission
    self.peer = peer
    self.loop = loop
    self.context = context
    let limits = context.settings.limits
    // No endpoint wants one yet.
    requests = RequestReader(limits: limits.http, keepsBodies: false)
    frames = FrameReader(role: .server, messageLimit: limits.message)
    bucket = TokenBucket(rate: limits.actionsPerSecond, burst: limits.actionBurst)
    since = loop.now
  }

  /// Begins to read.
  func start() {
    guard !loop.isStopping else { return discardSocket() }
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: .reading, self)
    } catch {
      context.logger.error("A connection could not be watched.", metadata: ["error": "\(error)"])
      return discardSocket()
    }
    id = loop.add(self)
    schedule(after: timeLimit)
    if admission == .turnedAway { turnAway() }
  }

  /// Closes a socket that nobody watches.
  private func discardSocket() {
    state = .closed
    context.connections.leave(admission, from: peer)
    closeDescriptor(descriptor)
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if readiness.contains(.readable), interest.contains(.reading) {
      read()
    } else if readiness.contains(.hungUp) {
      return abort()
    }
    if readiness.contains(.writable) {
      work()
      keepUnread()
    }
  }

  /// Handles what was received and sends what is said to it, in turn, until nothing is left or the peer must be waited for.
  private func work() {
    repeat {
      process()
      guard send() else { return abort() }
      // What was held up by its own answers goes on once they are sent.
    } while isHeldUp && canGoOn
    updateInterest()
  }

  /// Sends what was written outside an event of the socket, as the patch of an effect.
  func flush() {
    if case .closed = state { return }
    guard send() else { return abort() }
    if isHeldUp, canGoOn { loop.execute { [weak self] in self?.goOn() } }
    updateInterest()
  }

  private func goOn() {
    work()
    keepUnread()
  }

  // MARK: Reading

  private func read() {
    // Much that is left over of a long message is not copied back and forth for each part that comes.
    let borrows = input.count <= Self.smallRest
    if borrows { borrowStorage() }
    let descriptor = descriptor
    var result = 0
    input.fill(atLeast: 65_536) { room in
      result = receiveBytes(descriptor, room)
      return max(result, 0)
    }
    let mayGoOn = result < 0 && wouldBlock
    if result > 0 {
      noteLife()
      work()
    } else if result == 0, !output.isEmpty {
      drain()
    } else if !mayGoOn {
      abort()
    }
    if borrows || input.count <= Self.smallRest { returnStorage() }
  }

  private static let smallRest = 4096

  /// The loop's storage serves one event of one connection after the other; only what is left over stays with this one.
  private func borrowStorage() {
    var borrowed = ReceiveBuffer()
    swap(&borrowed, &loop.receiveStorage)
    input.withUnread { borrowed.append($0) }
    input = borrowed
  }

  private func returnStorage() {
    loop.receiveStorage = input.releaseStorage()
    if loop.receiveStorage.capacity > EventLoop.largestKept { loop.receiveStorage = ReceiveBuffer() }
  }

  /// Keeps no more memory than what is unread needs.
  private func keepUnread() {
    if input.isEmpty { input = ReceiveBuffer() }
  }

  /// Handles what was received, as far as it goes: until something is missing, or the client must wait.
  private func process() {
    isHeldUp = false
    while true {
      guard canGoOn else {
        isHeldUp = !input.isEmpty || messages != nil
        return
      }
      let goesOn =
        switch state {
        case .http: processHTTP()
        case .greeting, .live, .echo: processMessage()
        case .closing, .draining, .closed: discard()
        }
      guard goesOn else { return }
      noteLife()
    }
  }

  private func discard() -> Bool {
    messages = nil
    input.consume(input.count)
    return false
  }

  /// A client that has used up its actions, or does not read, is not read from: TCP slows it down.
  ///
  /// What comes once all is said is thrown away as fast as it comes, so that it does not pile up.
  private var canGoOn: Bool {
    switch state {
    case .closing: true
    case .draining: false
    case .http, .greeting, .live, .echo, .closed: !isThrottled && !isCongested
    }
  }

  /// Stops reading for a while.
  ///
  /// Nothing is refused or lost.
  func pause(nanoseconds: UInt64) {
    throttledUntil = loop.now + nanoseconds
    guard !isThrottled else { return }
    isThrottled = true
    resumeLater(nanoseconds)
  }

  private func resumeLater(_ nanoseconds: UInt64) {
    loop.execute(after: .nanoseconds(nanoseconds)) { [weak self] in self?.endPause() }
  }

  private func endPause() {
    // The pause may have become longer since it began.
    guard loop.now >= throttledUntil else { return resumeLater(throttledUntil - loop.now) }
    isThrottled = false
    // What it said meanwhile was not read.
    noteLife()
    goOn()
  }

  // MARK: Writing

  /// Whether so much waits to be sent that the client gets no more patches until it has read all of it.
  var isCongested: Bool { output.count > context.settings.limits.writeQueue }

  /// Puts the message in the loop's writer on its way.
  func sendMessage() {
    borrowSendStorage()
    let message = loop.json.bytes
    writer.text(message.span, into: &output.bytes)
    if message.capacity > EventLoop.largestKept { loop.json = JSONWriter() }
  }

  /// The loop's storage serves one connection after the other, for as long as nothing has to wait.
  func borrowSendStorage() {
    if output.isEmpty, output.bytes.capacity == 0 { swap(&output.bytes, &loop.sendStorage) }
  }

  /// Sends what the socket takes and, when that is all, what waited for it.
  ///
  /// - Returns: false if the connection is gone.
  private func send() -> Bool {
    while !output.isEmpty {
      let before = output.count
      guard output.send(to: descriptor) else { return false }
      // What the system takes on its own account says nothing; room where there was none is the peer's doing.
      if output.count < before, interest.contains(.writing) { noteLife() }
      guard output.isEmpty else { return true }
      let storage = output.releaseStorage()
      // A ping's few bytes are no reason to give up the room that the next patch wants.
      if storage.capacity > loop.sendStorage.capacity, storage.capacity <= EventLoop.largestKept {
        loop.sendStorage = storage
      }
      didDrain()
    }
    return true
  }

  private func didDrain() {
    switch state {
    case .closing: endSending(descriptor)
    case .draining: abort()
    case .live(let session): session.assumeIsolated { $0.didDrain() }
    case .http, .greeting, .echo, .closed: break
    }
  }

  private func updateInterest() {
    if case .closed = state { return }
    var wanted: Interest = []
    if canGoOn { wanted.insert(.reading) }
    if !output.isEmpty { wanted.insert(.writing) }
    guard wanted != interest else { return }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  // MARK: Ending

  /// Says nothing more after what is queued, and waits for the peer to close.
  func finish() {
    leaveSession()
    state = .closing
    restartDeadline()
    if output.isEmpty { endSending(descriptor) }
  }

  /// Sends what is queued to a peer that says no more, and closes.
  private func drain() {
    leaveSession()
    state = .draining
    restartDeadline()
    work()
  }

  /// Closes the socket.
  ///
  /// Whatever is queued is lost.
  func abort() {
    if case .closed = state { return }
    leaveSession()
    state = .closed
    input.consume(input.count)
    messages = nil
    _ = output.releaseStorage()
    loop.unwatch(watch)
    context.connections.leave(admission, from: peer)
    loop.remove(id)
  }

  private func leaveSession() {
    if case .live(let session) = state { session.assumeIsolated { $0.end() } }
  }

  /// Begins a state, or a phase, with all the time it has.
  func restartDeadline() {
    since = loop.now
    schedule(after: timeLimit)
  }

  /// Goes on to what is waited for next.
  func begin(_ phase: Phase) {
    self.phase = phase
    restartDeadline()
  }

  private func processHTTP() -> Bool {
    if phase == .idle, !input.isEmpty { begin(.head) }
    return processRequest()
  }

  /// Has ``checkDeadline()`` called after so many seconds, unless it is called before that anyway.
  func schedule(after seconds: Int) {
    let time = loop.now + UInt64(seconds) * 1_000_000_000
    guard time < nextCheck else { return }
    nextCheck = time
    loop.schedule(id, after: seconds)
  }

  /// Only a live connection gets more time by what comes: a handshake has to be done, and a close.
  func noteLife() {
    switch state {
    case .live, .echo: since = loop.now
    case .http, .greeting, .closing, .draining, .closed: break
    }
  }

  /// How many seconds the present state may take or, of a live connection, its peer may be silent until it is pinged.
  private var timeLimit: Int {
    let timeouts = context.settings.timeouts
    return switch state {
    case .http where phase == .idle: timeouts.idleSeconds
    case .http where phase == .body: timeouts.bodySeconds
    case .http, .greeting: timeouts.handshakeSeconds
    case .live, .echo: timeouts.heartbeatSeconds
    case .closing, .draining: timeouts.closingSeconds
    case .closed: 0
    }
  }

  /// Ends what takes too long.
  func checkDeadline() {
    // One that was set before an earlier one was.
    guard loop.now >= nextCheck || nextCheck - loop.now < 1_000_000_000 else { return }
    nextCheck = .max
    switch state {
    case .live, .echo: return checkLife()
    case .http, .greeting, .closing, .draining: break
    case .closed: return
    }
    let limit = timeLimit
    let elapsed = Int((loop.now - since) / 1_000_000_000)
    guard elapsed >= limit else { return schedule(after: limit - elapsed) }
    switch state {
    case .http: requestTimedOut()
    case .greeting: say(.noHello, "No hello within \(limit) seconds.")
    case .closing, .draining: abort()
    case .live, .echo, .closed: break
    }
    flush()
  }

  /// Ends the connection because the server goes down.
  func shutDown() {
    switch state {
    case .greeting, .live: say(.shutdown, "The server is going down.")
    case .echo: close(.goingAway, "The server is going down.")
    case .http: finish()
    case .closing, .draining, .closed: break
    }
    flush()
  }
}
