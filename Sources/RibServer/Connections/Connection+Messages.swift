import Logging
import RibCore
import Synchronization
import Wire
import WireHTTP

extension Connection {
  /// Handles the next message: of the array that came last, or of the next frame.
  ///
  /// - Returns: whether there may be another one in what was received.
  func processMessage() -> Bool {
    guard channel.messages != nil else { return processFrame() }
    do throws(JSONError) {
      guard let next = try channel.messages?.next(&loop.work.reader) else {
        channel.messages = nil
        return true
      }
      noteMessages(1, bytes: 0)
      carryOut(channel.handle(next))
    } catch {
      sayNotJSON(error)
    }
    return true
  }

  private func processFrame() -> Bool {
    do throws(WebSocketError) {
      guard let event = try nextEvent() else { return false }
      switch event {
      case .text(let payload): if !echo(payload, isText: true) { text(payload) }
      case .binary(let payload):
        if !echo(payload, isText: false) { channel.say(.badMessage, "Messages of \(subprotocol) are text.") }
      case .ping(let payload):
        input.withPayload(payload) { channel.answerPing($0) }
      case .pong: break
      case .close(let code, _):
        channel.payDebt()
        guard !isEnding else { break }
        channel.answerClose(code)
      }
    } catch {
      debug("A frame was refused.", ["code": "\(error.code.rawValue)", "reason": "\(error.reason.forLog)"])
      note(.protocol)
      channel.payDebt()
      channel.close(error.code, error.reason)
    }
    return true
  }

  /// The next event, and what it took counted.
  private func nextEvent() throws(WebSocketError) -> WebSocketEvent? {
    let (frameCount, byteCount) = (frames.frameCount, input.count)
    let event = try frames.nextEvent(from: &input)
    // What was inflated is work besides what was received.
    let inflated = frames.inflates ? event?.payloadCount ?? 0 : 0
    noteMessages(frames.frameCount - frameCount, bytes: byteCount - input.count + inflated)
    return event
  }

  private func text(_ payload: WebSocketPayload) {
    if passage != nil { noteFirstMessage(payload) }
    let json: JSONElement
    do throws(JSONError) {
      json = try input.withPayload(payload) { bytes throws(JSONError) in try loop.work.reader.read(bytes) }.root
    } catch {
      return sayNotJSON(error)
    }
    carryOut(channel.receive(json))
  }

  private func sayNotJSON(_ error: JSONError) { channel.say(.badMessage, "A message is JSON, this is not: \(error).") }

  /// Does what a message asks for that its channel cannot do itself, and counts the message.
  private func carryOut(_ handled: (step: ChannelStep, charge: ChannelCharge)) {
    if handled.charge.actions > 0 { noteAction() }
    if handled.charge.messages > 0 { noteMessages(handled.charge.messages, bytes: 0) }
    switch handled.step {
    case .none: break
    case .greet(let hello): greet(hello)
    case .renew(let credential): renew(credential)
    case .find(let entrance): find(entrance)
    // Otherwise another client wakes the session, and the channel is called.
    case .wake(let sleeper): if context.sessions.take(sleeper) { find(.wake(sleeper)) }
    case .letSleep(let sleeper, let isGone): finder.letSleep(sleeper, isGone: isGone)
    }
  }

  // MARK: Sessions

  /// Begins the session that a client asks for.
  func begin(_ hello: ClientMessage.Hello) {
    let made: (Session, String)
    do throws(Ending) {
      made = try makeSession(hello, for: caller, as: channel.signIn)
    } catch {
      if let node = nodeOfAnotherProgram(after: error) { return passOn(to: node) }
      return channel.say(error.bye, error.message)
    }
    let (session, token) = made
    if let complaint = session.core.start(channel, hello.client, token: token) {
      return channel.say(.failed, complaint)
    }
    arrived()
  }

  /// Builds the session that a `hello` asks for, on this loop.
  ///
  /// - Parameters:
  ///   - hello: what the client wants.
  ///   - caller: the client's address.
  ///   - signIn: the person behind the client; nil for nobody.
  /// - Returns: the session, which is not started, and its client's token.
  /// - Throws: ``Ending`` that says why there is none.
  func makeSession(
    _ hello: ClientMessage.Hello, for caller: Caller, as signIn: SignIn?
  ) throws(Ending) -> (Session, token: String) {
    guard let app = context.apps[hello.app] else {
      let names = context.appNames.joined(separator: ", ")
      throw Ending(
        .unknownApp, "There is no app \"\(hello.app)\" here. There is: \(names).", needsAnotherProgram: true)
    }
    if let ending = app.access.refusal(of: signIn?.identity) { throw ending }
    // The params of such an app are kept with the session, whether a client acts on it or not.
    let most = rules.settings.limits.paramsBytes
    if app.takesParameters, let parameters = hello.parameters, parameters.source.utf8.count > most {
      throw Ending(.badMessage, "The params have more than \(most) bytes.")
    }
    guard context.sessions.count < rules.settings.limits.session else {
      throw Ending(.full, "The server has \(rules.settings.limits.sessions) sessions, and takes no more.")
    }
    guard !context.isOverMemory.load(ordering: .relaxed) else {
      throw Ending(.full, "The server's memory is full. It takes new sessions again once there is room.")
    }
    guard !context.isSuspended(at: loop.now) else { throw .suspended }
    try chargeSession(to: caller, signIn)
    let token = loop.work.environment.makeToken()
    loop.work.flight?.begin(.start, of: app.name)
    defer { loop.work.flight?.end() }
    do {
      let person = signIn.map { signIn in
        let now = loop.work.environment.time.wall()
        let since = context.revocations.markOfSignIn(signIn.identity, at: now)
        return ClientProfile.Person(signIn.identity, since: since)
      }
      return (try Session(of: app, hello, token: token, person, from: caller.place, on: loop, context), token)
    } catch let error as DecodingError {
      throw Ending(.badMessage, "The parameters do not fit the app \"\(app.name)\"\(error.place): \(error.fault)")
    } catch {
      context.logger.error("A session could not be built.", metadata: ["app": "\(app.name)", "error": "\(error)"])
      throw Ending(.failed, "The app \"\(app.name)\" could not be started.")
    }
  }

  /// Charges a new session to the budgets of its client's address and person.
  ///
  /// - Parameters:
  ///   - caller: the client's address.
  ///   - signIn: the person behind the client; nil for nobody.
  /// - Throws: ``Ending`` if one of the budgets is spent.
  private func chargeSession(to caller: Caller, _ signIn: SignIn?) throws(Ending) {
    // A session that one budget refuses is not charged to the other.
    if let place = caller.place, context.newSessions.isSpent(place, at: loop.now) {
      rules.gate.noteSpentPlace(of: caller)
      throw .quota("This address has", context.newSessions.take(from: place, at: loop.now))
    }
    if let signIn {
      let wait = context.newSessionsOfPersons.take(from: PersonID(signIn.identity), at: loop.now)
      guard wait == 0 else { throw .quota("You have", wait) }
    }
    // Another loop may have spent the place's budget meanwhile: one session too many does no harm.
    if let place = caller.place { _ = context.newSessions.take(from: place, at: loop.now) }
  }

  /// Finds sessions in memory, on any loop, and in the store.
  var finder: SessionFinder<LoopSource> {
    SessionFinder(registry: context.sessions, source: LoopSource(context: context, loop: loop))
  }

  /// Looks for the session that the client wants, and goes to the loop where it lives.
  func find(_ entrance: Entrance) {
    let session = finder.find(entrance, as: channel.signIn?.identity) { [weak self] in
      self?.channel.isSearching == true
    } completion: { [weak self] result in
      self?.didFind(result, entrance)
    }
    if let session { return visit(session, entrance) }
    channel.search()
  }

  /// The session that was looked for is there, or is known not to be.
  private func didFind(_ result: Result<SessionRegistry<Session>.Found, Ending>, _ entrance: Entrance) {
    guard channel.endSearch() else { return }
    switch result {
    case .success(.awake(let session)): visit(session, entrance)
    case .success(.resting(let session, let sleeper)): comeBack(to: session, sleeper, entrance)
    case .success(.elsewhere(let node)): follow(entrance, to: node)
    case .failure(let ending):
      turnAway(entrance, ending)
    }
    goOn()
  }

  /// Goes where the session is: to another node.
  private func follow(_ entrance: Entrance, to node: Int) {
    if case .events = entrance { passRequestOn(to: node) } else { passOn(to: node) }
  }

  /// Is there again, and sleeps: the session rests on.
  private func comeBack(to session: RestingSession, _ sleeper: Sleeper, _ entrance: Entrance) {
    guard case .resumption(let resume) = entrance else { return }
    if let ending = context.apps[session.identity.app]?.access.refusal(of: channel.signIn?.identity) {
      finder.leave(sleeper)
      return turnAway(entrance, ending)
    }
    let welcome = Welcome(
      to: session, resume, durability: loop.durability, context, rules.settings, limits: channel.limits,
      identityExpires: channel.signIn?.millisecondsLeft(at: loop.now))
    debug("A client has come back to a session that rests.", ["session": "\(sleeper.sessionID)"])
    // It has all of the view.
    loop.work.stats.note(.resumedWithPatches)
    let step = channel.comeBack(welcome, sleeper)
    arrived()
    carryOut((step, ChannelCharge()))
  }

  /// Has something said to a client that sleeps.
  func call(_ call: SleeperCall, _ sleeper: Sleeper) {
    carryOut((channel.receive(call, for: sleeper), ChannelCharge()))
    goOn()
  }

  private func visit(_ session: Session, _ entrance: Entrance) {
    if session.loop === loop { return enter(session, entrance) }
    move(to: session.loop) { $0.enter(session, entrance) }
  }

  private func enter(_ session: Session, _ entrance: Entrance, isConfirmed: Bool = false, hasWaited: Bool = false) {
    charging { admit(entrance, to: session, isConfirmed: isConfirmed, hasWaited: hasWaited) }
  }

  private func admit(_ entrance: Entrance, to session: Session, isConfirmed: Bool, hasWaited: Bool) {
    let events = beginEvents(entrance)
    switch session.core.admit(entrance, at: channel, isConfirmed: isConfirmed) {
    case .isDoubtful:
      endEvents(events)
      channel.search()
      session.core.whenCommitted { [weak self, loop] _ in
        // Not while the session is told of its commit.
        loop.execute { [weak self] in self?.enterAgain(session, entrance, isConfirmed: true, hasWaited: hasWaited) }
      }
    case .isEarly(let wait):
      endEvents(events)
      guard !hasWaited, !isShared, wait <= Self.longestDelay else { return turnAway(entrance, .tooFast(wait)) }
      channel.search()
      loop.execute(after: .nanoseconds(wait)) { [weak self] in
        self?.enterAgain(session, entrance, isConfirmed: isConfirmed, hasWaited: true)
      }
    case .refused(let ending):
      endEvents(events)
      turnAway(entrance, ending)
    case .left:
      endEvents(events)
      find(entrance)
    case .admitted:
      arrived()
      // To find a client and its session, and to commit that it was here, is as much work as some messages.
      if case .wake = entrance { return }
      noteMessages(Self.messagesForEntrance, bytes: 0)
    }
  }

  private static let messagesForEntrance = 10
  /// Nanoseconds that a client that has used up its budget waits at most before it is let in, or its request is answered.
  static let longestDelay: UInt64 = 10_000_000_000

  /// The pause before the next attempt of a request or a `hello` that waits for a budget.
  ///
  /// Others may have taken what it has waited for. The pauses grow, so that many that wait cost little.
  ///
  /// - Parameters:
  ///   - wait: the time until the budget is free again, in nanoseconds.
  ///   - waited: the time that it has waited already, in nanoseconds.
  /// - Returns: nanoseconds.
  static func pause(for wait: UInt64, after waited: UInt64) -> UInt64 { max(wait, waited / 4, EventLoop.longestTurn) }

  private func enterAgain(_ session: Session, _ entrance: Entrance, isConfirmed: Bool, hasWaited: Bool) {
    guard channel.endSearch() else { return }
    enter(session, entrance, isConfirmed: isConfirmed, hasWaited: hasWaited)
    goOn()
  }

  /// The client is in its session.
  private func arrived() {
    // Its view may have failed to be shown, or to be sent.
    guard !isEnding, !isClosed else { return }
    state = .channel
    if case .opening? = passage { passage = nil }
    restartDeadline()
    scheduleExpiry()
    drainWithOthers()
  }

  private func turnAway(_ entrance: Entrance, _ ending: Ending) {
    switch entrance {
    case .resumption, .events: loop.work.stats.note(.refusedResumes)
    case .invitation, .wake: break
    }
    if case .events = entrance {
      if ending.bye == .busy, let seconds = ending.retryAfter {
        return answer(with: Response(problem: .tooFast(UInt64(seconds) * 1_000_000_000)))
      }
      return answer(with: Response(problem: HTTPError(ofClient: ending)))
    }
    let ending = entrance.turnedAway(ending)
    channel.say(ending.bye, ending.message)
  }

  func debug(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
    log(.debug, message, metadata())
  }

  func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
    guard context.logger.logLevel <= level else { return }
    var all = metadata()
    if case .live(let core, _) = channel.state { all["session"] = "\(core.id)" }
    context.logger.log(level: level, message, metadata: all.tracing(trace))
  }
}

extension Ending {
  /// The ending of a client whose address or person has begun too many sessions.
  ///
  /// - Parameters:
  ///   - who: the beginning of the message, "You have" or "This address has".
  ///   - wait: nanoseconds until another session may be begun.
  /// - Returns: the ending, with the time to come back.
  fileprivate static func quota(_ who: String, _ wait: UInt64) -> Ending {
    let message = "\(who) begun as many sessions as are allowed for now. Come back later."
    return Ending(.quota, message, retryAfter: Int((wait + 999_999_999) / 1_000_000_000))
  }

  /// The ending of a client that has used up its budget, on its way in.
  ///
  /// - Parameter wait: nanoseconds until it may come.
  /// - Returns: the ending, with the time to come back.
  static func tooFast(_ wait: UInt64) -> Ending {
    let message = "This client, its person or its address has asked for more than it may. Come back later."
    return Ending(.busy, message, retryAfter: Int((wait + 999_999_999) / 1_000_000_000))
  }

  /// The ending of a client that others have not let have its turn.
  static var busy: Ending { Ending(.busy, "The server has much to do. Come back later.", retryAfter: 1) }
}
