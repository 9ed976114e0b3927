import Logging
import Wire
import WireHTTP

/// A client's socket: reads, hands on what was said, writes what is to be said, and ends.
///
/// | state        | meaning                                          | ends by itself                         |
/// |--------------|--------------------------------------------------|----------------------------------------|
/// | `http`       | requests are read                                | without a request in time              |
/// | `channel`    | what is said is the ``Channel``'s                | without `hello` in time, then without a sign of life |
/// | `moving`     | it is on its way to the loop of its session      |                                        |
/// | `relayed`    | its bytes go to another node, and that one's to it | when either end does                 |
/// | `echo`       | sends back what it is sent                       | without a sign of life for too long    |
/// | `closing`    | all is said; what comes is not looked at         | when the peer closes, or after a while |
/// | `halfClosed` | the peer says no more; the rest is sent to it    | when it is sent, or after a while      |
/// | `closed`     | the descriptor is given up                       |                                        |
///
/// `@unchecked Sendable`: a connection belongs to its loop. Every method is called on the loop's queue: by the poller, by
/// a job of the loop, or by the channel on behalf of a session that lives there.
final class Connection: PollTarget, @unchecked Sendable {
  enum State {
    case http(HTTPExchange)
    case channel
    /// With the request whose answer is to be a stream of events; nil for a WebSocket.
    case moving(HTTPExchange?)
    case relayed
    case echo
    case closing
    case halfClosed
    case closed
  }

  /// Whether the connection counts towards `limits.connectionsPerAddress` of its caller's place.
  enum Counting {
    case no
    /// While a request for events is answered: the proxy's next request may be another client's.
    case forARequest
    /// Until the connection ends.
    case forGood
  }

  /// Whether what was received is handled.
  enum Turn {
    case free
    /// Messages wait until the client may go on: it is paused, reads too little, or waits for an answer.
    case heldUp
    /// Messages wait until other connections have had their turn.
    case yielding
  }

  var loop: EventLoop
  let context: ServerContext
  let descriptor: Int32
  let admission: ConnectionCounter.Admission
  var counting: Counting
  /// Whether it was accepted while clients are asked to go elsewhere: it is only told whether the server is there, and not waited for.
  let isLate: Bool
  /// The client: the socket's peer, or the client that a proxy names for the connection, or for a request for events.
  var caller: Caller
  /// When it was accepted, in nanoseconds of the monotonic clock.
  let startTime: UInt64
  var watch = -1
  var id = 0

  // No access to what is not checked for exclusivity calls user code, nor anything that comes back to it; at most it ends
  // the life of a session, whose parts do not know the connection.
  @exclusivity(unchecked) var input = ReceiveBuffer()
  @exclusivity(unchecked) var frames: FrameReader
  @exclusivity(unchecked) var state: State
  @exclusivity(unchecked) var deadline: Deadline
  /// Whether the client has to wait, as it has used up its budget.
  @exclusivity(unchecked) var pace: Pace
  @exclusivity(unchecked) var interest: Interest = .reading
  @exclusivity(unchecked) private(set) var turn = Turn.free
  /// Whether the client's input comes before the next owed view.
  @exclusivity(unchecked) var inputIsDue = false
  /// What it carries.
  @exclusivity(unchecked) var kind = Kind.http
  /// Why it is not read from for a while; nil if it is.
  @exclusivity(unchecked) var pause: LoopStats.Count?
  /// Why it ends; nil until that is known.
  @exclusivity(unchecked) var end: End?
  /// Whether the peer was told that nothing more comes.
  private var hasEndedSending = false
  /// Whether a token of an admin listener's was shown on the connection.
  @exclusivity(unchecked) var isOperators = false
  /// Whether the connection is counted to the person behind its channel.
  @exclusivity(unchecked) var isCountedToPerson = false
  /// The state of the client's authentication.
  @exclusivity(unchecked) var door = Door.open
  /// How the client reaches its session at another node; nil if it does not.
  @exclusivity(unchecked) var passage: Passage?
  /// What is on its way to the peer, and which session is behind it.
  let channel: Channel

  /// The settings that the loop goes by.
  var rules: Rules { _read { yield loop.work.rules } }

  /// Written messages and responses.
  var output: SendQueue {
    _read { yield channel.output }
    _modify { yield &channel.output }
  }

  /// Takes over an accepted, non-blocking socket.
  ///
  /// To be called on the loop.
  ///
  /// - Parameters:
  ///   - descriptor: the socket.
  ///   - admission: whether it is one connection too many.
  ///   - peer: the other end of the socket.
  ///   - isCounted: whether the connection is counted to the peer's place.
  ///   - beginsWithProxyHeader: whether a header of the PROXY protocol comes first, by the settings by which it was accepted: those of this
  ///     loop may be newer.
  ///   - relayed: the client, if another node passes its bytes on.
  ///   - loop: where it lives.
  ///   - context: the server's.
  init(
    _ descriptor: Int32, _ admission: ConnectionCounter.Admission, from peer: Caller, isCounted: Bool,
    beginsWithProxyHeader: Bool = false,
    relayed: RelayedClient? = nil, on loop: EventLoop, _ context: ServerContext
  ) {
    self.descriptor = descriptor
    self.admission = admission
    counting = isCounted ? .forGood : .no
    caller = peer
    self.loop = loop
    self.context = context
    startTime = loop.now
    isLate = loop.drainSecondsLeft != nil
    let limits = loop.work.rules.settings.limits
    passage = relayed.map { .incoming($0) }
    state = .http(HTTPExchange(limits.http, beginsWithProxyHeader: beginsWithProxyHeader))
    frames = FrameReader(role: .server, messageLimit: limits.message)
    channel = Channel(loop.work)
    pace = Pace(channel.budget.actionAllowance, of: Int(descriptor))
    deadline = Deadline(since: loop.now)
    channel.port = self
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
    if context.desk != nil { makeRoomForOperators() }
    if admission == .turnedAway { turnAway() }
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
    // That the system takes bytes says nothing of the peer; that there is room where there was none does.
    if output.sentCount > sent { noteProgress() }
  }

  /// Handles what was received and sends what is said to it.
  private func work() {
    // Answers that are written meanwhile are sent below.
    channel.isFlushing = true
    process()
    flush()
  }

  /// Sends what was written, also outside an event of the socket, as the patch of an effect.
  func flush() {
    defer { channel.isFlushing = false }
    if case .closed = state { return }
    channel.isFlushing = true
    guard send() else { return abort() }
    endIfAllIsSaid()
    if case .onward(let relay)? = passage { relay.goOn() }
    // Messages that waited until their client had read its answers are handled now, before more is read.
    if turn == .heldUp, canGoOn { goOnLater() }
    updateInterest()
  }

  /// Lets other connections have their turn first.
  func goOnLater() {
    guard turn != .yielding else { return }
    turn = .yielding
    loop.yield(to: caller.place) { [weak self] in
      self?.turn = .free
      self?.goOn()
    }
  }

  /// Runs something on the loop, behind the connection's turn if that is still to come.
  func executeAfterTurn(_ body: @escaping @Sendable () -> Void) {
    if turn == .yielding { loop.yield(to: caller.place, body) } else { loop.execute(body) }
  }

  func goOn() {
    // The descriptor of a closed connection may be another connection's by now.
    guard !isClosed else { return }
    // An owed view and unread input alternate: each may pause the client again, and must not starve the other.
    if channel.owesAnything, output.isEmpty { if inputIsDue { takeInput() } else { flush() } }
    work()
    keepUnread()
  }

  /// Gives the client's input its turn before the next owed view.
  ///
  /// A partial message needs another read. Input that has yielded, or waits for the client's budget, stays due.
  private func takeInput() {
    guard canGoOn else { return }
    channel.isFlushing = true
    let unread = input.count
    process()
    if input.count == unread, channel.messages == nil, canGoOn, !read() { inputIsDue = false }
  }

  // MARK: Reading

  /// Reads what has come, and handles it.
  ///
  /// - Returns: whether anything had come.
  @discardableResult private func read() -> Bool {
    borrowStorage()
    let descriptor = descriptor
    var result = 0
    let most = readLimit
    input.fill(atLeast: 65_536) { room in
      result = receiveBytes(descriptor, UnsafeMutableRawBufferPointer(rebasing: room.prefix(most)))
      return max(result, 0)
    }
    let mayGoOn = result < 0 && wouldBlock
    if result > 0 {
      loop.work.stats.note(.received, times: result)
      noteLife()
      work()
    } else if result == 0, case .relayed = state {
      clientEndedRelay()
      updateInterest()
    } else if result == 0, !output.isEmpty || channel.owesAnything {
      note(.closed)
      peerClosed()
    } else if !mayGoOn {
      if result == 0 { note(.closed) }
      abort()
    }
    returnStorage()
    return result > 0
  }

  /// How many bytes are read at a time at most.
  private var readLimit: Int {
    if case .relayed = state, case .onward(let relay)? = passage { relay.room } else { .max }
  }

  /// The loop's storage serves one event of one connection after the other; only what is left over stays with this one.
  private func borrowStorage() {
    var borrowed = ReceiveBuffer()
    swap(&borrowed, &loop.receiveStorage)
    input.withUnread { borrowed.append($0) }
    input = borrowed
  }

  private func returnStorage() { loop.giveBack(&input) }

  /// Keeps no more memory than what is unread needs, or twice that.
  private func keepUnread() {
    if input.count < input.capacity / 2 { _ = input.releaseStorage() }
  }

  /// How many requests or messages of one peer are handled before others have their turn.
  private static let turn = 16

  /// Handles what was received, as far as it goes: until something is missing, or the client must wait.
  private func process() {
    if turn == .heldUp { turn = .free }
    // A closing connection discards its input at once, even while it waits for its turn.
    if case .closing = state {
      discard()
      return
    }
    guard turn != .yielding, !input.isEmpty || channel.messages != nil, !holdByDebt() else { return }
    // A request is charged by itself. A connection that cannot go on takes no turn.
    guard case .channel = state, canGoOn else { return handle() }
    let start = loop.time()
    guard !shouldYield(at: start) else { return goOnLater() }
    inputIsDue = false
    charging(since: start) { handle() }
  }

  private func handle() {
    let kind = kind
    var handled = 0
    var start: UInt64 = 0
    while !input.isEmpty || channel.messages != nil {
      guard canGoOn else {
        if turn == .free { turn = .heldUp }
        channel.messages?.wait()
        return
      }
      if handled > 0 {
        let now = loop.time()
        if handled == 1 { start = now }
        // Messages behind the request for a WebSocket are charged to the client, the request to its place.
        guard handled < Self.turn, now - start < EventLoop.longestTurn, kind == self.kind else {
          channel.messages?.wait()
          return goOnLater()
        }
      }
      handled += 1
      let goesOn =
        switch state {
        case .http(let exchange): processRequest(exchange)
        case .channel where channel.isEventStream: discardUnasked()
        case .channel, .echo: processMessage()
        case .relayed: passOn()
        case .moving: false
        case .closing, .halfClosed, .closed: discard()
        }
      guard goesOn else { return }
      noteLife()
    }
  }

  /// A client that sends something behind its request for events is read no faster than others.
  private func discardUnasked() -> Bool {
    noteMessages(0, bytes: input.count)
    return discard()
  }

  @discardableResult private func discard() -> Bool {
    channel.messages = nil
    input.consume(input.count)
    return false
  }

  /// A client that has used up its actions, or to whom too much is owed, is not read from: TCP slows it down.
  ///
  /// What comes once all is said is thrown away as fast as it comes, so that it does not pile up.
  var canGoOn: Bool {
    switch state {
    case .closing: true
    case .moving, .halfClosed, .closed: false
    case .http(let exchange) where exchange.phase == .answer: false
    case .channel where channel.isSearching: false
    case .relayed: if case .onward(let relay)? = passage { relay.room > 0 && turn != .yielding } else { false }
    case .http, .channel, .echo:
      !pace.isPaused && turn != .yielding && !channel.owesTooMuch
    }
  }

  private func updateInterest() {
    if case .closed = state { return }
    var wanted: Interest = []
    if canGoOn { wanted.insert(.reading) }
    if output.hasSendable { wanted.insert(.writing) }
    countPause()
    guard wanted != interest else { return }
    if wanted.contains(.writing), !interest.contains(.writing) { watchAnswer() }
    interest = wanted
    loop.change(watch, to: wanted)
  }

  // MARK: Ending

  /// Says nothing more after what is queued, and waits for the peer to close.
  ///
  /// - Parameter comesBack: what the client was told to do next.
  func finish(comesBack: Bye.Return = .atOnce) {
    note(.closed)
    leaveSession(comesBack)
    state = .closing
    restartDeadline()
    if output.isEmpty { endSending() }
  }

  /// Ends sending if the queue is empty: held messages may have been discarded, and then no send comes that would do so.
  private func endIfAllIsSaid() {
    guard output.isEmpty else { return }
    switch state {
    case .closing: if !hasEndedSending { endSending() }
    case .halfClosed: abort()
    case .http, .channel, .moving, .relayed, .echo, .closed: break
    }
  }

  func endSending() {
    hasEndedSending = true
    shutDownSending(descriptor)
    // Now it is the peer's turn.
    if !loop.isStopping { restartDeadline() }
  }

  /// Sends what is queued to a peer that says no more, and closes.
  private func peerClosed() {
    channel.payDebt()
    leaveSession()
    state = .halfClosed
    if !loop.isStopping { restartDeadline() }
    work()
  }

  /// Closes the socket.
  ///
  /// The output that the kernel does not have yet is lost. The kernel sends the rest, and gives up when the peer takes none of it for
  /// `timeouts.closingSeconds`.
  func abort() {
    if case .closed = state { return }
    leaveSession()
    state = .closed
    input.consume(input.count)
    _ = output.releaseStorage()
    limitSending(descriptor, seconds: max(1, rules.settings.timeouts.closingSeconds))
    loop.unwatch(watch)
    countEnd()
    context.connections.leave(admission, from: counting == .no ? nil : caller.place)
    loop.remove(id)
  }

  func leaveSession(_ comesBack: Bye.Return = .atOnce) {
    payDues()
    if case .onward(let relay)? = passage { relay.close() }
    passage = nil
    cancelAuthentication()
    countNoMorePerson()
    if let sleeper = channel.leave(comesBack: comesBack) { finder.leave(sleeper) }
  }
}
