import Wire

@testable import RibServer

/// The server's end of a link: what `Connection` does between frames and its session, without a socket and its time limits.
///
/// Each method does what the one of its name does there; the queue of what is held is the real one.
final class ModelConnection {
  enum State {
    case greeting
    case moving
    case live(ModelSession)
    case asleep(Sleeper)
    case closing
    case closed
  }

  let link: ModelLink
  let server: ModelServer
  private(set) var state = State.greeting
  var output = SendQueue()
  var renderer = 0
  var owesSnapshot = false
  var owesHash = false
  var greeting: Greeting?
  /// What was received and not looked at.
  private var input: [[UInt8]] = []
  /// Whether something that was received waits because the client must.
  private var isHeldUp = false

  /// Bytes that may wait before the client gets no more patches: few, so that it happens.
  private static let writeQueue = 600

  /// An upgraded connection.
  init(_ link: ModelLink, _ server: ModelServer) {
    self.link = link
    self.server = server
  }

  var isCongested: Bool { output.count > Self.writeQueue }

  var isIdle: Bool {
    guard case .live = state else { return false }
    return input.isEmpty && output.isEmpty && !owesSnapshot
  }

  var isEnding: Bool {
    switch state {
    case .closing, .closed: true
    case .greeting, .moving, .live, .asleep: false
    }
  }

  // MARK: Reading

  func receive(_ text: [UInt8]) throws {
    input.append(text)
    try goOn()
  }

  func goOn() throws {
    isHeldUp = false
    while let text = input.first {
      switch state {
      case .greeting, .live:
        guard !isCongested else {
          isHeldUp = true
          return flush()
        }
        input.removeFirst()
        try message(text)
      case .asleep(let sleeper):
        server.remove(sleeper, self)
        try find(.wake(sleeper))
      case .moving: return
      case .closing, .closed: input = []
      }
    }
    flush()
  }

  private func message(_ text: [UInt8]) throws {
    let message = try ClientMessage(try server.reader.read(text.span).root)
    switch (state, message) {
    case (.live(let session), .act(let act)):
      if let acknowledgement = act.acknowledgement {
        acknowledge(acknowledgement, session)
        guard case .live = state else { return }
      }
      if let complaint = session.act(act, from: self) { say(.badMessage, complaint) }
    case (.live(let session), .ack(let acknowledgement)): acknowledge(acknowledgement, session)
    case (.live(let session), .resync):
      owesSnapshot = true
      if output.isEmpty { session.sendSnapshot(to: renderer) }
    case (.live(let session), .check): session.sendHash(to: renderer)
    case (.live(let session), .share(let scope)):
      if let (bye, reason) = session.share(scope, from: renderer) { say(bye, reason) }
    case (.live(let session), .bye): session.clientSaidBye(renderer)
    case (.greeting, .hello(let hello)): try greet(hello)
    default: say(.badMessage, "out of turn")
    }
  }

  private func acknowledge(_ acknowledgement: Acknowledgement, _ session: ModelSession) {
    if let complaint = session.acknowledge(acknowledgement, from: renderer) { say(.badMessage, complaint) }
  }

  private func greet(_ hello: ClientMessage.Hello) throws {
    if let resume = hello.resume { return try find(.resumption(resume)) }
    if let token = hello.share { return try find(.invitation(token)) }
    let token = SessionToken.make()
    let session = ModelSession(token: token, on: server)
    state = .live(session)
    try session.start(self, token: token)
  }

  /// Takes a nap: `Connection.fallAsleep(_:)`.
  func fallAsleep(_ sleeper: Sleeper) {
    state = .asleep(sleeper)
    server.add(sleeper, self)
  }

  /// Joins the session that somebody else has woken: `Connection.wakeUp()`.
  func wakeUp() throws {
    guard case .asleep(let sleeper) = state else { return }
    try find(.wake(sleeper))
    try goOn()
  }

  // MARK: Finding the session

  /// How a client comes to a session that is there already: `Connection.Entrance`.
  enum Entrance {
    case resumption(ClientMessage.Resume)
    case invitation(String)
    case wake(Sleeper)

    var sessionID: String {
      switch self {
      case .resumption(let resume): resume.sessionID
      case .invitation(let token): String(token.prefix { $0 != "." })
      case .wake(let sleeper): sleeper.sessionID
      }
    }

    var tokenHash: String? {
      switch self {
      case .resumption(let resume): SessionToken.hash(resume.token)
      case .invitation(let token): SessionToken.hash(token)
      case .wake: nil
      }
    }
  }

  private func find(_ entrance: Entrance) throws {
    let session = server.find(entrance.sessionID, entrance.tokenHash) { [weak self] session, bye, reason in
      try self?.didFind(session, entrance, bye, reason)
    }
    if let session { return try enter(session, entrance) }
    state = .moving
  }

  private func didFind(_ session: ModelSession?, _ entrance: Entrance, _ bye: Bye, _ reason: String) throws {
    guard case .moving = state else { return }
    state = .greeting
    if let session { try enter(session, entrance) } else { say(bye, reason) }
    try goOn()
  }

  private func enter(_ session: ModelSession, _ entrance: Entrance) throws {
    let admission =
      switch entrance {
      case .resumption(let resume): session.resume(self, resume)
      case .invitation(let token): session.join(self, with: token)
      case .wake(let sleeper): session.wake(self, sleeper)
      }
    switch admission {
    case .refused(let bye, let reason): say(bye, reason)
    case .left: try find(entrance)
    case .admitted:
      guard !isEnding else { return }
      state = .live(session)
    }
  }

  // MARK: Writing

  func sendMessage() {
    output.bytes += server.json.bytes
    output.bytes.append(UInt8(ascii: "\n"))
  }

  func insertMessage() { output.insertBeforeHeld(server.json.bytes + [UInt8(ascii: "\n")]) }

  func flush() {
    send()
    if isHeldUp, !isCongested { server.goOnLater(self) }
  }

  private func send() {
    while !link.isStalled, output.hasSendable {
      link.down += server.socket.take(from: &output)
      guard output.isEmpty else { return }
      switch state {
      case .live: payDebt()
      case .closing: endSending()
      case .greeting, .moving, .asleep, .closed: break
      }
    }
  }

  func payDebt() {
    guard owesSnapshot, case .live(let session) = state else { return }
    session.sendSnapshot(to: renderer)
    guard owesHash, case .live(let session) = state else { return }
    owesHash = false
    session.sendHash(to: renderer)
  }

  func noteCut() { output.noteCut() }

  func release(all: Bool) {
    output.release(all: all)
    if let greeting, output.releasedCount >= greeting.end { self.greeting = nil }
    flush()
  }

  func discardHeld() {
    output.discardHeld()
    greeting = nil
  }

  // MARK: Ending

  func say(_ bye: Bye, _ reason: String) {
    if bye != .silent, bye != .shutdown, bye != .taken { payDebt() }
    guard !isEnding else { return }
    server.json.removeAll()
    server.json.bye(bye, message: reason)
    sendMessage()
    leaveSession(bye.comesBack)
    // Without the rule an overtaken connection goes on being read.
    if bye == .taken, !server.rules.contains(.overtakenUnread) { return }
    state = .closing
    if output.isEmpty { endSending() }
  }

  private func endSending() {
    state = .closed
    link.isServerGone = true
  }

  /// The link is gone: `Connection.abort()`.
  func abort() {
    if case .closed = state { return }
    leaveSession(.atOnce)
    state = .closed
    input = []
    _ = output.releaseStorage()
    link.isServerGone = true
  }

  private func leaveSession(_ comesBack: Bye.Return) {
    switch state {
    case .live(let session): session.connectionEnded(self, comesBack)
    case .asleep(let sleeper): server.remove(sleeper, self)
    case .greeting, .moving, .closing, .closed: break
    }
  }

  /// Lets go of everything: the server is no more.
  func forget() {
    state = .closed
    input = []
  }
}
