import Logging
import Wire

/// A client's socket: reads, hands on what was said, writes what is to be said, and ends.
///
/// | state      | meaning                                         | ends by itself                         |
/// |------------|-------------------------------------------------|----------------------------------------|
/// | `http`     | requests are read                               | without a request in time              |
/// | `greeting` | upgraded; `hello` is awaited                    | without `hello` in time                |
/// | `moving`   | its session is read, or lives on another loop   |                                        |
/// | `live`     | a session's renderer                            | without a sign of life for too long    |
/// | `asleep`   | the same, of a session that has left memory     | without a sign of life for too long    |
/// | `echo`     | sends back what it is sent                      | without a sign of life for too long    |
/// | `closing`  | all is said; what comes is not looked at        | when the peer closes, or after a while |
/// | `draining` | the peer says no more; the rest is sent to it   | when it is sent, or after a while      |
/// | `closed`   | the descriptor is given up                      |                                        |
///
/// `@unchecked Sendable`: a connection belongs to its loop. Every method is called on the loop's queue: by the poller, by
/// a job of the loop, or by the session, whose executor the loop is.
final class Connection: PollTarget, @unchecked Sendable {
  enum State {
    case http(HTTPExchange)
    case greeting
    case moving
    case live(Session)
    case asleep(Sleeper)
    case echo
    case closing
    case draining
    case closed
  }

  var loop: EventLoop
  let context: ServerContext
  let descriptor: Int32
  private let admission: ConnectionCounter.Admission
  private let peer: PeerAddress?
  var watch = -1
  var id = 0

  // No access to what is not checked for exclusivity calls user code, nor anything that comes back to it; at most it ends
  // the life of a session, whose parts do not know the connection.
  @exclusivity(unchecked) var input = ReceiveBuffer()
  @exclusivity(unchecked) var output = SendQueue()
  @exclusivity(unchecked) var frames: FrameReader
  @exclusivity(unchecked) var state: State
  @exclusivity(unchecked) var writer = FrameWriter.server
  /// Whether messages are events of an HTTP response, and nothing is read.
  @exclusivity(unchecked) var isEventStream = false
  /// Which of its session's renderers this is, from 0.
  @exclusivity(unchecked) var renderer = 0
  /// How often the client has asked for the whole view.
  @exclusivity(unchecked) var resyncs = ResyncLimit()
  /// Actions whose commits are awaited.
  @exclusivity(unchecked) var waitingActions = WaitingActions()
  /// The `welcome` that waits for its commit; nil once it may go.
  @exclusivity(unchecked) var greeting: Greeting?
  /// The messages of an array that are still to be handled.
  @exclusivity(unchecked) var messages: PendingMessages?
  /// Whether patches were left out because the client did not read: it gets a snapshot once it does.
  @exclusivity(unchecked) var owesSnapshot = false
  /// Whether the client has asked for a hash that comes after the snapshot it is owed.
  @exclusivity(unchecked) var owesHash = false
  /// How fast the client may speak.
  @exclusivity(unchecked) var pace: Pace
  @exclusivity(unchecked) var deadline: Deadline
  @exclusivity(unchecked) var interest: Interest = .reading
  /// Whether something that was received waits because the client must.
  @exclusivity(unchecked) private var isHeldUp = false
  /// Whether something that was received waits because others have their turn.
  @exclusivity(unchecked) private var isYielding = false

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
    state = .http(HTTPExchange(limits.http))
    frames = FrameReader(role: .server, messageLimit: limits.message)
    pace = Pace(limits, of: Int(descriptor))
    deadline = Deadline(since: loop.now)
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
  func discardSocket() {
    state = .closed
    context.connections.leave(admission, from: peer)
    closeDescriptor(descriptor)
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    let sent = output.sentCount
    if readiness.contains(.readable), interest.contains(.reading) {
      read()
    } else if readiness.contains(.hungUp) {
      return abort()
    }
    guard readiness.contains(.writable) else { return }
    goOn()
    // What the system takes at other times may be on its own account; room where there was none is the peer's doing.
    if output.sentCount > sent { noteProgress() }
  }

  /// Handles what was received and sends what is said to it.
  private func work() {
    process()
    flush()
  }

  /// Sends what was written, also outside an event of the socket, as the patch of an effect.
  func flush() {
    if case .closed = state { return }
    guard send() else { return abort() }
    // What was held up by its own answers goes on now that they are sent, before more is read.
    if isHeldUp, canGoOn { goOnLater() }
    updateInterest()
  }

  /// Lets others have their turn first.
  private func goOnLater() {
    guard !isYielding else { return }
    isYielding = true
    loop.execute { [weak self] in
      self?.isYielding = false
      self?.goOn()
    }
  }

  func goOn() {
    work()
    keepUnread()
  }

  // MARK: Reading

  private func read() {
    borrowStorage()
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
    if loop.receiveStorage.capacity > EventLoop.largestKept { loop.receiveStorage = ReceiveBuffer() }
  }

  /// Keeps no more memory than what is unread needs, or twice that.
  private func keepUnread() {
    if input.count < input.capacity / 2 { _ = input.releaseStorage() }
  }

  /// How many requests or messages of one peer are handled before others have their turn.
  private static let turn = 16
  /// How long they may take together, in nanoseconds.
  private static let longestTurn: UInt64 = 10_000_000

  /// Handles what was received, as far as it goes: until something is missing, or the client must wait.
  private func process() {
    isHeldUp = false
    var handled = 0
    var start: UInt64 = 0
    while !input.isEmpty || messages != nil {
      guard canGoOn else {
        isHeldUp = true
        messages?.wait()
        return
      }
      if handled > 0 {
        let now = loop.time()
        if handled == 1 { start = now }
        guard handled < Self.turn, now - start < Self.longestTurn else {
          messages?.wait()
          return goOnLater()
        }
      }
      handled += 1
      let goesOn =
        switch state {
        case .http(let exchange): processRequest(exchange)
        case .live where isEventStream: discard()
        case .greeting, .live, .asleep, .echo: processMessage()
        case .moving: false
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
    case .moving, .draining: false
    case .http(let exchange) where exchange.phase == .answer: false
    case .http, .greeting, .live, .asleep, .echo, .closed:
      !pace.isPaused && !isCongested && !isYielding && !waitingActions.areTooMany
    }
  }

  private func updateInterest() {
    if case .closed = state { return }
    var wanted: Interest = []
    if canGoOn { wanted.insert(.reading) }
    if output.hasSendable { wanted.insert(.writing) }
    guard wanted != interest else { return }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  // MARK: Ending

  /// Says nothing more after what is queued, and waits for the peer to close.
  ///
  /// - Parameter comesBack: what the client was told to do next.
  func finish(comesBack: Bye.Return = .atOnce) {
    leaveSession(comesBack)
    state = .closing
    restartDeadline()
    if output.isEmpty { endSending() }
  }

  func endSending() {
    shutDownSending(descriptor)
    // Now it is the peer's turn.
    if !loop.isStopping { restartDeadline() }
  }

  /// Sends what is queued to a peer that says no more, and closes.
  private func drain() {
    payDebt()
    leaveSession()
    state = .draining
    if !loop.isStopping { restartDeadline() }
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

  private func leaveSession(_ comesBack: Bye.Return = .atOnce) {
    waitingActions = WaitingActions()
    switch state {
    case .live(let session): session.assumeIsolated { $0.connectionEnded(self, comesBack: comesBack) }
    case .asleep(let sleeper):
      if context.sessions.remove(sleeper) { loop.noteAbsence(ofSession: sleeper.sessionID, sleeper.lease) }
    case .http, .greeting, .moving, .echo, .closing, .draining, .closed: break
    }
  }
}
