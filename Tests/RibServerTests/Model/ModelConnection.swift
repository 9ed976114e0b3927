import Wire

@testable import RibServer

/// The server's end of a link: what ``Connection`` does with a socket for its ``Channel``, without time limits.
///
/// `@unchecked Sendable`: a world is run by one thread.
final class ModelConnection: ChannelPort, @unchecked Sendable {
  private enum State {
    case open
    /// All is said; what is queued is still sent.
    case closing
    case closed
  }

  let link: ModelLink
  let server: ModelServer
  let channel: Channel
  private var state = State.open
  /// What was received and not looked at.
  private var input: [[UInt8]] = []
  /// Whether something that was received waits because the client must.
  private var isHeldUp = false

  /// An upgraded connection.
  init(_ link: ModelLink, _ server: ModelServer) {
    self.link = link
    self.server = server
    channel = Channel(server.work)
    channel.port = self
  }

  // MARK: Reading

  /// Takes a message.
  func receive(_ text: [UInt8]) throws {
    input.append(text)
    try goOn()
  }

  /// Handles what was received, as far as it goes.
  func goOn() throws {
    isHeldUp = false
    while channel.messages != nil || !input.isEmpty {
      switch channel.state {
      case .over: input = []
      case .searching: return flush()
      case .greeting, .live, .asleep:
        guard !channel.isCongested, !channel.waitingActions.areTooMany else {
          isHeldUp = true
          return flush()
        }
        try handleNext()
      }
    }
    flush()
  }

  private func handleNext() throws {
    guard channel.messages == nil else {
      guard let next = try channel.messages?.next(&server.work.reader) else {
        channel.messages = nil
        return
      }
      return try carryOut(channel.handle(next).0)
    }
    let text = input.removeFirst()
    try carryOut(channel.receive(try server.work.reader.read(text.span).root).0)
  }

  private func carryOut(_ step: ChannelStep) throws {
    switch step {
    case .none: break
    case .begin(let hello):
      if let complaint = try server.begin(hello, at: channel) { channel.say(.failed, complaint) }
    case .find(let entrance): find(entrance)
    case .wake(let sleeper):
      if server.registry.take(sleeper) || !server.rules.contains(.wakeTogether) { find(.wake(sleeper)) }
    case .letSleep(let sleeper, let isGone): server.finder.letSleep(sleeper, isGone: isGone)
    }
  }

  private func find(_ entrance: Entrance) {
    let host = server.finder.find(entrance) { [weak self] in
      self?.channel.isSearching == true
    } completion: { [weak self, server] result in
      guard let self, channel.endSearch() else { return }
      switch result {
      case .success(.awake(let host)): enter(host, entrance)
      case .success(.resting(let session, let sleeper)): comeBack(to: session, sleeper, entrance)
      case .failure(let ending): turnAway(entrance.turnedAway(ending))
      }
      server.goOnLater(self)
    }
    if let host { enter(host, entrance) } else { channel.search() }
  }

  private func comeBack(to session: RestingSession, _ sleeper: Sleeper, _ entrance: Entrance) {
    guard case .resumption(let resume) = entrance else { return }
    let welcome = Welcome(to: session, resume, durability: .disk, ModelServer.context.settings)
    server.attempt { try carryOut(channel.comeBack(welcome, sleeper)) }
  }

  private func enter(_ host: ModelHost, _ entrance: Entrance) {
    switch host.core.admit(entrance, at: channel) {
    case .refused(let ending): turnAway(entrance.turnedAway(ending))
    case .left: find(entrance)
    case .admitted: break
    }
  }

  private func turnAway(_ ending: Ending) { channel.say(ending.bye, ending.message) }

  // MARK: The channel's port

  var hasUnreadInput: Bool { !input.isEmpty }
  func flushLater() { server.willFlush(self) }
  func willSay(_ bye: Bye, _ message: String) {}

  func channelEnded(comesBack: Bye.Return) {
    leave(comesBack)
    state = .closing
  }

  func didFallAsleep(_ sleeper: Sleeper) {
    guard server.rules.contains(.wakeTogether) else { return }
    server.interrupt()
    defer { server.interrupt() }
    server.registry.add(sleeper) { [weak self] call in
      guard let self else { return }
      server.execute {
        self.server.attempt { try self.carryOut(self.channel.receive(call, for: sleeper)) }
        self.server.goOnLater(self)
      }
    }
  }

  // MARK: Writing

  /// Sends what may be sent.
  func flush() {
    channel.isFlushing = true
    defer { channel.isFlushing = false }
    send()
    if isHeldUp, !channel.isCongested, !channel.waitingActions.areTooMany { server.goOnLater(self) }
  }

  private func send() {
    while !link.isStalled, channel.output.hasSendable {
      link.deliver(server.socket.take(from: &channel.output))
      guard channel.output.isEmpty else { return }
      if case .open = state { channel.payDebt() }
    }
    if case .closing = state, channel.output.isEmpty { close() }
  }

  private func close() {
    state = .closed
    link.isServerGone = true
  }

  // MARK: Ending

  /// The link is gone: `Connection.abort()`.
  func abort() {
    if case .closed = state { return }
    leave(.atOnce)
    input = []
    _ = channel.output.releaseStorage()
    close()
  }

  private func leave(_ comesBack: Bye.Return) {
    if let sleeper = channel.leave(comesBack: comesBack) { server.finder.leave(sleeper) }
  }
}
