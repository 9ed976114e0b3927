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
  let holder: Holder
  private var refusals: Refusals
  /// Whether it does not come back.
  private(set) var hasEnded = false
  /// Whether it has said `bye`.
  private(set) var hasSaidBye = false
  /// Whether it connects by itself.
  private var isAway = false
  /// The tokens that its session has had for it, the present one last.
  private(set) var pastTokens: [String] = []
  /// Tokens that it got to hand on.
  private(set) var tokens: [String] = []
  /// How often the server has said that its session is gone.
  private(set) var goneCount = 0
  private var joinToken: String?
  private var actionCount = 0
  private var renewal = Renewal()
  /// Whom it has seen in its session when it said first who it is: they have to leave once it is known.
  private var guestsBefore: [SimulatedClient] = []

  // The connection's.
  /// When it has said its first word, in nanoseconds.
  private var greetingTime: UInt64 = 0
  private var heartbeat: Heartbeat?
  private var frames: FrameReader?
  private var writer: FrameWriter
  private var reader = JSONReader()
  static let key = "AAECAwQFBgcICQoLDA0ODw=="

  /// A client that has said nothing.
  ///
  /// - Parameters:
  ///   - number: of all of the world's.
  ///   - holder: who it is.
  ///   - world: where it is.
  ///   - host: whose session it joins, if it does.
  ///   - token: what it joins it with.
  init(
    _ number: Int, _ holder: Holder, in world: World, joining host: SimulatedClient? = nil, with token: String? = nil
  ) {
    self.holder = holder
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
    holder.disconnected()
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
    holder.willAct(name, at: world.scheduler.now)
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
        let token = session.lastWelcome?.token
        try take(try session.receive(text.span))
        if let token, token != session.lastWelcome?.token { signedIn() }
        if let token = session.lastWelcome?.token, token != pastTokens.last { pastTokens.append(token) }
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
    greetingTime = world.scheduler.now
    let credential = holder.shows ? makeCredential() : nil
    if let token = joinToken, session.lastWelcome == nil {
      world.note("client \(number): joins")
      send(session.join(token: token, auth: credential))
    } else if session.lastWelcome == nil {
      world.note("client \(number): begins")
      send(session.hello(app: "journal", auth: credential))
    } else {
      world.note("client \(number): comes back, outbox \(session.outbox.map(\.number)), revision \(session.revision)")
      send(try session.resume(auth: credential))
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
    if events.contains(where: { if case .live = $0 { true } else { false } }) { holder.hasSentAgain() }
    try compareView()
  }

  private func take(_ event: ClientEvent, _ wasWarned: Bool) throws {
    switch event {
    case .live(let welcome):
      guard holder.mayBeWelcome(at: caller.link?.process, since: greetingTime) else {
        throw Finding(.overstayed, "client \(number) had to leave, and is welcome")
      }
      caller.resetBackOff()
      wasTold(expires: welcome.identityExpires)
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
    case .clients: break
    case .notice(let durability):
      witness.note(durability)
      if witness.isDurable { witness.allIsCommitted() }
    case .shared(let token, _): tokens.append(token)
    case .ended(let bye, let reason): try end(bye, reason)
    case .draining(let milliseconds): departLater(within: milliseconds)
    // It was told that these do not survive, and knows now that they have not.
    case .lost: witness.forgetWhatWasNotToSurvive()
    case .verified: isChecking = false
    case .renewed(let expires): wasTold(expires: expires)
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
    case .withCredential? where holder.shows: disconnect(.withCredential)
    case .asNewSession? where world.mayForget && bye == .gone:
      goneCount += 1
      end()
    case _ where hasSaidBye: end()
    // One that is nobody's is not known any more when it comes back.
    case _ where holder.mayBeRevoked && (bye == .revoked || bye == .denied):
      world.figures.note("clients that had to leave")
      end()
    case _ where witness.wasWarned && bye != .poisoned: end()
    // Somebody else has used the token, or the session was lost before the invitation was committed.
    case _ where joinToken != nil && session.lastWelcome == nil: end()
    default: throw Finding(.forgotten, "client \(number): \(bye?.rawValue ?? "?"): \(reason)")
    }
  }

  // MARK: Who it is

  /// Says who it is.
  func signIn() throws {
    guard holder.person != nil, isLive else { return }
    let credential = makeCredential()
    world.figures.note(holder.isBound ? "renewals" : "sign-ins")
    send(try session.auth(credential))
  }

  /// A new credential, which it is about to show.
  private func makeCredential() -> String {
    if !holder.isBound { guestsBefore = world.clients.filter { $0.host === self && $0.session.lastWelcome != nil } }
    if !holder.isBound { for guest in world.clients where guest.host === self { guest.holder.mayRetire() } }
    holder.willShow()
    return world.issuer.issue(to: holder.person ?? 0)
  }

  private func wasTold(expires: Int?) {
    let isNew = !holder.isBound
    holder.wasTold(
      expires: expires, at: world.scheduler.now, grace: world.plan.setting.graceSeconds, isDurable: witness.isDurable)
    if isNew, holder.isBound { world.note("client \(number) is person \(holder.person ?? 0)'s") }
    guard holder.renews, let expires else { return }
    renewal.note(expires: expires, at: now, using: &caller.random)
    guard let wait = renewal.wait(at: now) else { return }
    caller.after(wait) { [weak self] in
      guard let self, renewal.wait(at: now) == 0 else { return }
      renewal.began()
      try? signIn()
    }
  }

  /// It has a token that nobody knows who was there before: they have to leave.
  private func signedIn() {
    guard witness.isDurable, let process = caller.link?.process else { return }
    for guest in guestsBefore {
      world.note("client \(guest.number) has to leave")
      guest.holder.retire(by: process, newest: world.processCount, isOfPerson: false)
    }
    guestsBefore = []
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
    guard holder.mayBeAnswered(name, by: caller.link?.process) else {
      throw Finding(.overstayed, "client \(number) is answered \(nack?.code.rawValue ?? "as done") to \(name)")
    }
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
