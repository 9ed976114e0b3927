import RibCore
import Wire

/// What is to be done about something that a client has said.
enum ChannelStep {
  /// Nothing: it was handled.
  case none
  /// The client is to get the session that it asks for.
  case greet(ClientMessage.Hello)
  /// The client's session is to be found.
  case find(Entrance)
  /// The authenticator is to be asked whose credential this is, which a client has shown after its `hello`.
  case renew(String)
  /// The client's session is to be found, as the client has something to say, unless another client is waking it already.
  case wake(Sleeper)
  /// The client was to wake its session, and is elsewhere by now: another one's turn.
  ///
  /// `isGone`: it is not connected any more.
  case letSleep(Sleeper, isGone: Bool)
}

/// What something that a client has said counts towards its limits.
struct ChannelCharge {
  var actions = 0
  var messages = 0
}

extension Channel {
  /// Takes a text message: one message, or an array of them, which are handled one by one by ``handle(_:)``.
  ///
  /// - Parameter json: what it says.
  /// - Returns: what is to be done, and what it counts.
  func receive(_ json: JSONElement) -> (ChannelStep, ChannelCharge) {
    if case .asleep(let sleeper) = state {
      var charge = ChannelCharge()
      let step = wake(sleeper, for: json, &charge)
      return (step, charge)
    }
    guard json.kind == .array else { return handle(json) }
    // So that each counts towards the client's limits.
    messages = PendingMessages(json)
    return (.none, ChannelCharge())
  }

  /// Handles one message.
  ///
  /// - Parameter json: the message.
  /// - Returns: what is to be done, and what it counts.
  func handle(_ json: JSONElement) -> (ChannelStep, ChannelCharge) {
    var charge = ChannelCharge()
    let message: ClientMessage
    do throws(MessageError) {
      message = try ClientMessage(json)
    } catch {
      say(.badMessage, error.description)
      return (.none, charge)
    }
    work.begin(message.errand)
    switch state {
    case .live(let core, let client):
      guard !endIfOver() else { break }
      if case .auth(let credential) = message {
        // A signature is checked: that is as much work as an action.
        charge.actions = 1
        return (.renew(credential), charge)
      }
      handle(message, core, client, &charge)
    case .greeting:
      if case .hello(let hello) = message { return (.greet(hello), charge) }
      say(.badMessage, "The first message on a connection is \"hello\".")
    case .searching, .asleep, .over: break
    }
    return (.none, charge)
  }

  @inline(__always)
  private func handle(_ message: ClientMessage, _ core: SessionCore, _ client: Int, _ charge: inout ChannelCharge) {
    switch message {
    case .act(let act):
      guard acknowledge(act.acknowledgement, core, client) else { return }
      charge.actions = 1
      if let complaint = core.act(act, of: client, from: self) { say(.badMessage, complaint) }
    case .back(let back):
      guard acknowledge(back.acknowledgement, core, client) else { return }
      charge.actions = 1
      if let complaint = core.goBack(back, of: client, from: self) { say(.badMessage, complaint) }
    case .ack(let acknowledgement): _ = acknowledge(acknowledgement, core, client)
    case .ping: pong()
    case .resync: resync(&charge)
    case .check: core.sendHash(to: client)
    case .share(let scope):
      // The invitation is committed, as an action is.
      charge.actions = 1
      if let ending = core.share(scope, from: client) { say(ending.bye, ending.message) }
    case .bye: core.clientSaidBye(client)
    case .hello: say(.badMessage, "\"hello\" is said once on a connection.")
    case .auth: break
    }
  }

  /// Takes note of what the client has seen.
  ///
  /// - Returns: whether the channel goes on.
  private func acknowledge(_ acknowledgement: Acknowledgement?, _ core: SessionCore, _ client: Int) -> Bool {
    guard let acknowledgement, let complaint = core.acknowledge(acknowledgement, from: client) else { return true }
    say(.badMessage, complaint)
    return false
  }

  private func resync(_ charge: inout ChannelCharge) {
    guard budget.noteResync(at: work.now) else { return say(.badMessage, "More than six resyncs within a minute.") }
    oweSnapshot()
    // The snapshot goes behind messages that wait, or now if none does, and counts by its length.
    if output.isEmpty { payDebt() }
    charge.messages = 1
  }

  /// Answers a `ping`, behind the answers to what was said before; but the silence of a store that is away is not the server's.
  private func pong() {
    if case .live(let core, _) = state, core.commits.isWaiting, output.isHolding, greeting == nil {
      return pongBeforeHeld()
    }
    work.json.removeAll()
    work.json.pong()
    send()
    if output.isHolding { holdsPong = true }
  }

  private func pongBeforeHeld() {
    work.json.removeAll()
    work.json.pong()
    insertBeforeHeld()
  }

  /// Takes note that what is held waits until the store is back, and says that the server is there to a client that has asked.
  func storeIsAway() {
    guard holdsPong, greeting == nil else { return }
    holdsPong = false
    pongBeforeHeld()
  }

  // MARK: Renewal

  /// Renews the identity of the connected client, or has a person sign in to it.
  ///
  /// A renewal does not wake a session that rests: the session learns of the identity when it is back in memory.
  ///
  /// - Parameter signIn: the person whose credential the client has shown.
  func renew(_ signIn: SignIn) {
    switch state {
    case .live(let core, let client):
      if let ending = core.renew(client, at: self, signIn) { say(ending.bye, ending.message) }
    case .asleep, .searching:
      // With the sign-in the client gets a new token, which only the session can make: the client has to come back for it.
      guard let old = self.signIn else { return say(.moved, "To sign in, connect again.") }
      guard old.identity.isSamePerson(as: signIn.identity) else {
        return say(.forbidden, "This client is somebody else's.")
      }
      if !signIn.identity.isOlder(than: old.identity) {
        signIn.goOn(from: old)
        self.signIn = signIn
      }
      keepIdentity()
    case .greeting, .over: break
    }
  }

  /// Answers `auth` with the time until the client's present identity expires.
  func keepIdentity() {
    guard isJoined || isSearching else { return }
    work.json.removeAll()
    work.json.auth(expires: signIn?.millisecondsLeft(at: work.now))
    send()
  }

  // MARK: Sleep

  /// Answers a `ping` and an `auth` without the session; any other message wakes it.
  private func wake(_ sleeper: Sleeper, for json: JSONElement, _ charge: inout ChannelCharge) -> ChannelStep {
    guard !endIfOver() else { return .none }
    if json.kind == .object {
      switch try? ClientMessage(json) {
      case .ping?:
        pong()
        return .none
      case .auth(let credential)?:
        charge.actions = 1
        return .renew(credential)
      default: break
      }
    }
    messages = json.kind == .array ? PendingMessages(json) : PendingMessages(waiting: json)
    search()
    return .wake(sleeper)
  }

  /// Takes what a client that sleeps is told: it joins a session that another client or a bell has woken, or is overtaken.
  ///
  /// - Parameters:
  ///   - call: what it is told.
  ///   - sleeper: what the channel has slept by.
  /// - Returns: what is to be done.
  func receive(_ call: SleeperCall, for sleeper: Sleeper) -> ChannelStep {
    switch (call, state) {
    case (.wake, .asleep), (.wake, .searching):
      search()
      return .find(.wake(sleeper))
    case (.wake, .over): return .letSleep(sleeper, isGone: true)
    case (.wake, .greeting), (.wake, .live): return .letSleep(sleeper, isGone: false)
    // In a search: the client has said something meanwhile, and as it is told this, nobody looks for its session.
    case (.overtaken, .searching): say(.taken, "The client has connected again.")
    case (.overtaken, .asleep(let mine)) where mine === sleeper: say(.taken, "The client has connected again.")
    case (.moved, .searching): say(.moved, "The session goes on elsewhere: connect again.")
    case (.moved, .asleep(let mine)) where mine === sleeper:
      say(.moved, "The session goes on elsewhere: connect again.")
    case (.overtaken, _), (.moved, _): break
    }
    return .none
  }
}
