import Wire

/// What is to be done about something that a client has said.
enum ChannelStep {
  /// Nothing: it was handled.
  case none
  /// A session is to be made.
  case begin(ClientMessage.Hello)
  /// The client's session is to be found.
  case find(Entrance)
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
  /// Bytes that were written for it, or that it was as much work as.
  var bytes = 0
}

extension Channel {
  /// Takes a text message: one message, or an array of them, which are handled one by one by ``handle(_:)``.
  ///
  /// - Parameter json: what it says.
  /// - Returns: what is to be done, and what it counts.
  func receive(_ json: JSONElement) -> (ChannelStep, ChannelCharge) {
    if case .asleep(let sleeper) = state { return (wake(sleeper, for: json), ChannelCharge()) }
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
    switch state {
    case .live(let core, let client): handle(message, core, client, &charge)
    case .greeting:
      if case .hello(let hello) = message { return (greet(hello), charge) }
      say(.badMessage, "The first message on a connection is \"hello\".")
    case .searching, .asleep, .over: break
    }
    return (.none, charge)
  }

  private func greet(_ hello: ClientMessage.Hello) -> ChannelStep {
    if let resume = hello.resume { return .find(.resumption(resume)) }
    if let token = hello.share { return .find(.invitation(token)) }
    return .begin(hello)
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
    case .check:
      // Hashing a large view is as much work as many messages.
      charge.messages = 1
      charge.bytes = core.sendHash(to: client) * 4
    case .share(let scope):
      if let ending = core.share(scope, from: client) { say(ending.bye, ending.message) }
    case .bye: core.clientSaidBye(client)
    case .hello: say(.badMessage, "\"hello\" is said once on a connection.")
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
    guard resyncs.take(at: work.now) else {
      return say(.badMessage, "More than \(ResyncLimit.count) resyncs within \(ResyncLimit.seconds) seconds.")
    }
    oweSnapshot()
    // The snapshot goes behind messages that wait, or now if none does. A large one counts as many messages, so that no client can
    // ask for snapshots alone.
    if output.isEmpty { payDebt() }
    charge.messages = 1
    charge.bytes = output.count
  }

  private func pong() {
    work.json.removeAll()
    work.json.pong()
    send()
  }

  // MARK: Sleep

  /// Nothing but a `ping` is answered without the session.
  private func wake(_ sleeper: Sleeper, for json: JSONElement) -> ChannelStep {
    if json.kind == .object, case .ping? = try? ClientMessage(json) {
      pong()
      return .none
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
    case (.overtaken, .asleep(let mine)) where mine === sleeper:
      say(.taken, "The client has connected again.")
      return .none
    case (.overtaken, _): return .none
    }
  }
}
