import Wire
import WireHTTP

extension Connection {
  /// Begins a state, or a phase of it, with all the time it has.
  func restartDeadline() {
    deadline.since = loop.now
    if isEnding { setMilestone() }
    schedule(after: timeLimit)
  }

  /// Whether the connection only waits for the peer to take the rest of the output, and to close.
  var isEnding: Bool {
    switch state {
    case .closing, .halfClosed: true
    case .http, .channel, .moving, .relayed, .echo, .closed: false
    }
  }

  /// Whether the peer may take its time, as long as it shows life.
  private var isLive: Bool {
    switch state {
    case .channel: channel.isJoined
    case .echo: true
    case .http, .moving, .relayed, .closing, .halfClosed, .closed: false
    }
  }

  /// Whether the socket is closed.
  var isClosed: Bool { if case .closed = state { true } else { false } }

  /// Bytes of what was ever sent that the peer's system has taken: there is word of room only now and then.
  private var acknowledgedCount: Int { output.sentCount - unacknowledgedBytes(descriptor) }

  /// Bytes that were sent, or may be, and that the peer's system has not taken: what waits for a commit does not wait for the peer.
  private var waitingCount: Int { output.sentCount + output.sendableCount - acknowledgedCount }

  private func setMilestone() {
    deadline.setMilestone(at: loop.now, acknowledged: acknowledgedCount, waiting: waitingCount)
  }

  /// Whether the peer's system has taken enough of what was on its way, since this was asked last.
  private func hasProgressed() -> Bool {
    deadline.reachesMilestone(at: loop.now, acknowledged: acknowledgedCount, waiting: waitingCount)
  }

  /// Whether the peer has taken too little of what has waited for it since the last look, and more waits.
  private func isStuck() -> Bool {
    output.hasSendable
      && deadline.missesMilestone(at: loop.now, acknowledged: acknowledgedCount, waiting: waitingCount)
  }

  /// Seconds without a sign of life after which a live connection's peer is given up.
  private var longestSilence: Int {
    rules.settings.timeouts.heartbeatSeconds + ServerSettings.Timeouts.graceSeconds
  }

  /// Gives a connection that ends more time if nothing could be taken by its peer: the last word may wait for a commit, as long as a peer may be
  /// silent, and once it may be sent, the peer has the usual time to take it.
  ///
  /// - Parameter elapsed: seconds since the peer has taken something, or since the end began.
  /// - Returns: whether there is more time.
  private func mayEndLater(_ elapsed: Int) -> Bool {
    guard case .closing = state, !loop.isStopping, !output.isEmpty else { return false }
    if !output.hasSendable { return elapsed < longestSilence }
    guard !deadline.hasMilestone, waitingCount >= Deadline.leastProgress else { return false }
    setMilestone()
    return true
  }

  /// Only a live connection gets more time by what comes: a handshake has to be done, and a close.
  func noteLife() {
    if isLive { deadline.since = loop.now }
  }

  /// A peer that takes what it is owed gets the time to take all of it, unless the server goes down.
  func noteProgress() {
    if isLive || isEnding && !loop.isStopping { deadline.since = loop.now }
  }

  /// The longest time until a look, in seconds: the loop's timer keeps a look's entry, also when the connection has ended.
  private static let longestWait = 60

  /// Has ``checkDeadline()`` called after so many seconds or sooner, unless it is called before that anyway.
  func schedule(after seconds: Int) {
    let seconds = min(seconds, Self.longestWait)
    let time = loop.now + UInt64(seconds) * 1_000_000_000
    guard time < deadline.nextCheck else { return }
    deadline.nextCheck = time
    loop.schedule(id, after: seconds)
  }

  /// How many seconds the present state may take or, of a live connection, its peer may be silent until it is pinged.
  var timeLimit: Int {
    let timeouts = rules.settings.timeouts
    return switch state {
    case .http(let exchange):
      switch exchange.phase {
      case .head: timeouts.handshakeSeconds
      case .body, .answer: timeouts.bodySeconds
      case .idle: output.hasSendable ? timeouts.bodySeconds : timeouts.idleSeconds
      }
    case .channel: isLive ? timeouts.heartbeatSeconds : timeouts.handshakeSeconds
    case .moving: timeouts.handshakeSeconds
    case .echo: timeouts.heartbeatSeconds
    case .closing, .halfClosed: timeouts.closingSeconds
    case .relayed: timeouts.heartbeatSeconds
    case .closed: 0
    }
  }

  /// Ends what takes too long.
  func checkDeadline() {
    // A look that was planned before an earlier one was: it is not time yet.
    let next = deadline.nextCheck
    guard loop.now >= next || next - loop.now < 1_000_000_000 else { return }
    deadline.nextCheck = .max
    checkAuthentication()
    if channel.endIfOver() { return flush() }
    scheduleExpiry()
    if isLive { return checkLife() }
    if case .relayed = state { return checkTaking() }
    if isAnswerWaiting { return checkAnswer() }
    switch state {
    case .http, .closing, .halfClosed, .echo: break
    // Its time begins when its session is found, or when it arrives on the session's loop.
    case .channel: if channel.isSearching { return }
    case .moving, .relayed, .closed: return
    }
    let limit = timeLimit
    let elapsed = Int((loop.now - deadline.since) / 1_000_000_000)
    guard elapsed >= limit else { return schedule(after: limit - elapsed) }
    if isEnding, hasProgressed(), !loop.isStopping {
      noteProgress()
      return schedule(after: limit)
    }
    switch state {
    case .http(let exchange): timeOut(exchange)
    case .channel: channel.say(.noHello, "No hello within \(limit) seconds.")
    case .closing, .halfClosed: if mayEndLater(elapsed) { schedule(after: limit) } else { abort() }
    case .moving, .relayed, .echo, .closed: break
    }
    flush()
  }

  /// Asks a client that comes while the server goes down to connect elsewhere, as the other clients were asked.
  func drainWithOthers() {
    let ofRelay = relayingNode.flatMap { context.cluster?.drainSecondsLeft(of: $0, at: loop.now) }
    if let seconds = loop.drainSecondsLeft ?? ofRelay { drain(within: seconds) }
  }

  /// Asks the client to connect elsewhere, or again later, at a time of its choice.
  func drain(within seconds: Int) {
    switch state {
    case .channel where channel.isJoined:
      loop.work.json.removeAll()
      loop.work.json.drain(within: seconds * 1000)
      channel.send()
    // It is asked when its answer is sent, or when its session is found.
    case .http(let exchange) where exchange.phase == .answer: break
    // The request is on its way, perhaps: a client that has just connected would be told nothing.
    case .http(let exchange) where exchange.phase != .idle:
      loop.execute(after: .seconds(1)) { [weak self] in
        if let self, case .http(let exchange) = state, exchange.phase != .answer { shutDown() }
      }
    case .channel where channel.isSearching: break
    // The node that has the session asks it.
    case .relayed: break
    case .moving: break
    case .http, .channel, .echo: shutDown()
    case .closing, .halfClosed, .closed: break
    }
  }

  /// Ends the connection because the server goes down.
  func shutDown() {
    switch state {
    case .channel where channel.isSearching: finish()
    case .channel: channel.say(.shutdown, "The server is going down.")
    case .echo: channel.close(.goingAway, "The server is going down.")
    case .http(let exchange) where exchange.phase == .answer: giveUpAnswer(exchange)
    case .http, .moving, .relayed: finish()
    case .closing, .halfClosed, .closed: break
    }
    flush()
  }

  // MARK: Life

  /// Pings a peer that was silent for the heartbeat, and gives up one that does not answer.
  private func checkLife() {
    guard !channel.isEventStream else { return keepEventsAlive() }
    let grace = ServerSettings.Timeouts.graceSeconds
    let heartbeat = rules.settings.timeouts.heartbeatSeconds
    // What has been taken since the last look counts as taken now: so the looks are close to each other.
    if deadline.countsProgress, hasProgressed() {
      noteProgress()
      return schedule(after: min(heartbeat, grace))
    }
    let pingTime = deadline.pingTime
    let silence = Int((loop.now - (pingTime ?? deadline.since)) / 1_000_000_000)
    let limit = pingTime == nil ? heartbeat : grace
    guard silence >= limit else {
      return schedule(after: deadline.countsProgress ? min(limit - silence, grace) : limit - silence)
    }
    // A client whose reading is paused cannot be heard, and a reducer may have kept the loop from what has come in the meantime.
    let isRead = interest.contains(.reading)
    if pace.isPaused || isRead && hasUnreadBytes(descriptor) {
      noteLife()
      return schedule(after: limit)
    }
    if pingTime == nil {
      ping()
    } else if !isRead, !output.hasSendable, unacknowledgedBytes(descriptor) == 0 {
      // A client is not read from while its actions wait for a commit: its system has taken the ping, and no pong can be heard.
      noteLife()
      schedule(after: heartbeat)
    } else {
      giveUp()
    }
    flush()
  }

  /// A client of events cannot answer: what counts is whether it takes them.
  private func keepEventsAlive() {
    guard !isStuck() else { return abort() }
    if !output.hasSendable { channel.insertSignOfLife() }
    setMilestone()
    schedule(after: rules.settings.timeouts.heartbeatSeconds)
    flush()
  }

  /// A client that is passed on is pinged by the other node; what counts here is whether it takes what it is sent.
  private func checkTaking() {
    let elapsed = Int((loop.now - deadline.since) / 1_000_000_000)
    guard elapsed >= timeLimit else { return schedule(after: timeLimit - elapsed) }
    guard !isStuck() else { return abort() }
    beginTaking()
  }

  /// Whether a client that has been answered, and has not asked again, is still to take some of the answer.
  private var isAnswerWaiting: Bool {
    if case .http(let exchange) = state { exchange.phase == .idle && output.hasSendable } else { false }
  }

  /// Ends a connection whose client has taken too little of its answer for as long as this was watched.
  private func checkAnswer() {
    let elapsed = Int((loop.now - deadline.since) / 1_000_000_000)
    guard elapsed >= timeLimit else { return schedule(after: timeLimit - elapsed) }
    guard deadline.countsProgress else { return beginTaking() }
    guard hasProgressed() else { return abort() }
    restartDeadline()
  }

  /// Begins to watch whether the client takes the rest of its answer.
  func watchAnswer() { if isAnswerWaiting { beginTaking() } }

  /// Begins to watch whether a client that is passed on, or was answered, takes what it is sent.
  func beginTaking() {
    setMilestone()
    restartDeadline()
  }

  private func ping() {
    setMilestone()
    // A ping behind output that the peer does not take would not be heard.
    if !output.hasSendable { channel.insertSignOfLife() }
    schedule(after: ServerSettings.Timeouts.graceSeconds)
  }

  private func giveUp() {
    let reason = "Nothing was heard for \(longestSilence) seconds."
    if case .echo = state { channel.close(Bye.silent.closeCode, reason) } else { channel.say(.silent, reason) }
  }
}
