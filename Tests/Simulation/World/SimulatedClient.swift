import RibClient
import Wire
import WireHTTP

/// A client with the real protocol state machine, and what it was told of its actions.
final class SimulatedClient: CallerOwner {
  let number: Int
  /// Whose session it has joined; nil for its own.
  let host: SimulatedClient?
  unowned let world: World
  private(set) var session = ClientSession()
  private let caller: SimulatedCaller
  private(set) var witness: Witness
  private var refusals: Refusals
  /// Whether it does not come back.
  private(set) var hasEnded = false
  /// Whether it has said `bye`.
  private(set) var hasSaidBye = false
  /// Whether it connects by itself.
  private var isAway = false
  /// Tokens that it got to hand on.
  private(set) var tokens: [String] = []
  /// How often the server has said that its session is gone.
  private(set) var goneCount = 0
  private var joinToken: String?
  private var actionCount = 0

  // The connection's.
  private var heartbeat: Heartbeat?
  private var frames: FrameReader?
  private var writer: FrameWriter
  private var reader = JSONReader()
  private static let key = "AAECAwQFBgcICQoLDA0ODw=="

  /// A client that has said nothing.
  ///
  /// - Parameters:
  ///   - number: of all of the world's.
  ///   - world: where it is.
  ///   - host: whose session it joins, if it does.
  ///   - token: what it joins it with.
  init(_ number: Int, in world: World, joining host: SimulatedClient? = nil, with token: String? = nil) {
    self.number = number
    self.world = world
    self.host = host
    joinToken = token
    witness = Witness(number)
    refusals = Refusals(of: "client \(number)")
    caller = SimulatedCaller(number, "client", in: world)
    let mask = UInt32(truncatingIfNeeded: caller.random.next())
    writer = FrameWriter.client { mask }
    caller.owner = self
  }

  private var now: Int { Int(world.scheduler.now / 1_000_000) }
  /// Whether it may act.
  var isLive: Bool { session.welcome != nil && caller.link != nil && !hasSaidBye && !hasEnded }
  /// Whether all that it has sent was answered, on a connection that is there; or it does not come back.
  var isQuiet: Bool { hasEnded || isLive && session.outbox.isEmpty && !isChecking }
  /// Whether it has asked for the hash of its view, and has not been told.
  private var isChecking = false

  // MARK: Connecting

  /// Connects, now or as soon as there is a server.
  func connect() {
    guard caller.link == nil, !hasEnded, !isAway else { return }
    caller.connect()
  }

  func connected() {
    frames = nil
    caller.link?.send(
      WebSocketHandshake.request(host: "localhost", path: "/v1/socket", key: Self.key, subprotocols: [subprotocol]))
    // A server that does not answer is left alone.
    caller.after(30_000) { [weak self] in if let self, session.welcome == nil { disconnect(.atOnce) } }
  }

  func callAgain() { connect() }

  /// Gives the connection up, and comes back.
  func disconnect(_ ending: Bye.Return) {
    guard caller.link != nil else { return }
    caller.hangUp()
    left(ending)
  }

  func wasCut(_ link: SimulatedLink) {
    world.note("client \(number): link \(link.number) has ended")
    left(.atOnce)
  }

  private func left(_ ending: Bye.Return) {
    heartbeat = nil
    isChecking = false
    session.disconnected()
    // Who has got no answer to the first word has nothing to come back to.
    if !session.isAway {
      if joinToken != nil { return end() }
      if !hasEnded { session = ClientSession() }
    }
    if hasSaidBye || !caller.comeBack(ending) { end() }
  }

  /// Goes for good.
  func end() {
    hasEnded = true
    caller.hangUp()
  }

  // MARK: Speaking

  private func send(_ text: [UInt8]) {
    var frame: [UInt8] = []
    writer.text(text.span, into: &frame)
    caller.link?.send(frame)
    heartbeat?.sent(at: now)
  }

  /// Acts.
  func act(_ choice: UInt64) throws {
    guard isLive, session.outbox.count < 40 else { return }
    actionCount += 1
    let name = number * 10_000 + actionCount
    let action = JournalAction(name, choice)
    world.note(action)
    world.note("client \(number): \(action.json.text) to \"\(action.path)\"")
    send(try session.act(action.json, to: .path(action.path)))
    refusals.acknowledge(session.coveredNumber)
  }

  func check() throws {
    guard isLive else { return }
    isChecking = true
    send(try session.check())
  }

  func acknowledge() throws {
    guard isLive else { return }
    send(try session.ack())
    refusals.acknowledge(session.coveredNumber)
  }

  func share(_ scope: ShareScope) throws { if isLive { send(try session.share(scope)) } }
  var hasToken: Bool { !tokens.isEmpty }
  func takeToken() -> String? { tokens.popLast() }

  /// Gives its connection up, and does not come back by itself.
  func goAway() {
    isAway = true
    disconnect(.atOnce)
  }

  /// Comes back.
  func goOn() {
    isAway = false
    connect()
  }

  /// Leaves the session for good.
  func leave() throws {
    guard isLive else { return }
    hasSaidBye = true
    send(try session.bye())
  }

  // MARK: Listening

  func received() throws {
    heartbeat?.received(at: now)
    if frames == nil {
      guard let head = try caller.responses.nextHead(from: &caller.buffer) else { return }
      // No more connections, or the server is about to stop.
      guard head.status == .switchingProtocols else { return disconnect(.later) }
      _ = try WebSocketHandshake.check(head, key: Self.key, subprotocols: [subprotocol])
      frames = FrameReader(role: .client, messageLimit: 16 << 20)
      try greet()
    }
    while caller.link != nil, let event = try frames?.nextEvent(from: &caller.buffer) {
      switch event {
      case .text(let payload), .binary(let payload):
        let text = caller.buffer.withPayload(payload) { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
        world.note("to client \(number): \(String(decoding: text, as: UTF8.self))")
        try hear(try reader.read(text.span).root)
        try take(try session.receive(text.span))
      case .ping(let payload):
        var pong: [UInt8] = []
        caller.buffer.withPayload(payload) { writer.pong($0, into: &pong) }
        caller.link?.send(pong)
      case .pong: break
      case .close(let code, _): disconnect(Bye.Return(code))
      }
    }
  }

  private func greet() throws {
    if let token = joinToken, session.lastWelcome == nil {
      world.note("client \(number): joins")
      send(session.join(token: token))
    } else if session.lastWelcome == nil {
      world.note("client \(number): begins")
      send(session.hello(app: "journal"))
    } else {
      world.note("client \(number): comes back, outbox \(session.outbox.map(\.number)), revision \(session.revision)")
      send(try session.resume())
    }
  }

  /// Takes note of refusals as they come: of a second one the state machine says nothing.
  private func hear(_ json: JSONElement) throws {
    for element in json.elements { try hear(element) }
    guard let kind = json["t"]?.string, kind == "nack" || kind == "welcome" else { return }
    switch try ServerMessage(json) {
    case .nack(let nack): try refusals.hear(nack)
    case .welcome(let welcome):
      try refusals.begin(welcome.nacks, upTo: welcome.number, mayLack: witness.wasWarned)
    default: break
    }
  }

  private func take(_ events: [ClientEvent]) throws {
    let wasWarned = witness.wasWarned
    // What a `welcome` says of actions has its durability.
    for case .live(let welcome) in events {
      witness.note(welcome.durability)
      if welcome.durability == .disk { witness.beginAnew() }
    }
    for event in events { try take(event, wasWarned) }
    try compareView()
  }

  private func take(_ event: ClientEvent, _ wasWarned: Bool) throws {
    switch event {
    case .live(let welcome):
      caller.resetBackOff()
      heartbeat = Heartbeat(interval: welcome.heartbeat, at: now)
      beat()
      for message in session.resend() { send(message) }
    case .outOfStep(let divergence):
      throw Finding(.otherView, "client \(number): \(divergence)")
    case .applied(let action): try answer(action, nil)
    case .refused(let action, let nack): try answer(action, nack)
    // What was told by a server that survived nothing may be lost.
    case .lost(let count) where !wasWarned:
      throw Finding(.lost, "client \(number): the last \(count) actions, says the server")
    case .notice(let durability):
      witness.note(durability)
      if witness.isDurable { witness.allIsCommitted() }
    case .shared(let token, _): tokens.append(token)
    case .ended(let bye, let reason): try end(bye, reason)
    case .draining(let milliseconds): departLater(within: milliseconds)
    // It was told that these do not survive, and knows now that they have not.
    case .lost: witness.forgetWhatWasNotToSurvive()
    case .verified: isChecking = false
    case .view, .outcomeUnknown: break
    }
  }

  private func departLater(within milliseconds: Int) {
    caller.afterDrain(within: milliseconds) { [weak self] in self?.disconnect(.atOnce) }
  }

  private func beat() {
    guard var heartbeat else { return }
    let step = heartbeat.step(at: now)
    self.heartbeat = heartbeat
    switch step {
    case .wait(let milliseconds):
      if let milliseconds { caller.after(milliseconds) { [weak self] in self?.beat() } }
    case .ping:
      if let ping = try? session.ping() {
        send(ping)
        refusals.acknowledge(session.coveredNumber)
      }
      beat()
    case .giveUp:
      world.note("client \(number): the server is silent")
      disconnect(.atOnce)
    }
  }

  private func end(_ bye: Bye?, _ reason: String) throws {
    world.note("client \(number): bye \(bye?.rawValue ?? "?"): \(reason)")
    switch bye?.comesBack {
    case .atOnce?: disconnect(.atOnce)
    case .later?: disconnect(.later)
    case .asNewSession? where world.mayForget && bye == .gone:
      goneCount += 1
      end()
    case _ where hasSaidBye: end()
    case _ where witness.wasWarned && bye != .poisoned: end()
    // Somebody else has used the token, or the session was lost before the invitation was committed.
    case _ where joinToken != nil && session.lastWelcome == nil: end()
    default: throw Finding(.forgotten, "client \(number): \(bye?.rawValue ?? "?"): \(reason)")
    }
  }

  // MARK: What it knows

  /// The name of an action, unique among those of all clients: it stays when the action is numbered anew.
  private static func name(_ outstanding: ClientSession.Outstanding) -> Int? {
    guard case .act(.object(let members)) = outstanding.action, case .integer(let name)? = members.first?.value else {
      return nil
    }
    return Int(name)
  }

  private func answer(_ outstanding: ClientSession.Outstanding, _ nack: Nack?) throws {
    guard let name = Self.name(outstanding) else { return }
    try world.answered(name, nack, isOfGuest: host != nil)
    try witness.answer(name, isRefused: nack != nil)
  }

  /// What its view shows; nil if it has none.
  var view: JournalView? { JournalView(session.view) }

  /// What was once shown to survive is there for ever.
  private func compareView() throws {
    // One of another life of the tree is shown until the server sends its own.
    guard !hasEnded, session.welcome != nil, session.revision > 0, let view else { return }
    try world.checkShown(try witness.see(view.done))
  }
}
