import Logging
import Synchronization
import Wire

extension Connection {
  /// Handles the next message: of the array that came last, or of the next frame.
  ///
  /// - Returns: whether there may be another one in what was received.
  func processMessage() -> Bool {
    guard messages != nil else { return processFrame() }
    do throws(JSONError) {
      guard let next = try messages?.next(&loop.reader) else {
        messages = nil
        return true
      }
      noteMessages(1, bytes: 0)
      message(next)
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
        if !echo(payload, isText: false) { say(.badMessage, "Messages of \(subprotocol) are text.") }
      case .ping(let payload): input.withPayload(payload) { writer.pong($0, into: &output.bytes) }
      case .pong: break
      case .close(let code, _):
        payDebt()
        guard !isEnding else { break }
        writer.close(code, into: &output.bytes)
        finish()
      }
    } catch {
      debug("A frame was refused.", ["code": "\(error.code.rawValue)", "reason": "\(error.reason)"])
      payDebt()
      close(error.code, error.reason)
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
    let json: JSONElement
    do throws(JSONError) {
      json = try input.withPayload(payload) { bytes throws(JSONError) in try loop.reader.read(bytes) }.root
    } catch {
      return sayNotJSON(error)
    }
    if case .asleep(let sleeper) = state { return wake(sleeper, for: json) }
    // An array's messages are handled one by one, so that each counts towards the client's limits.
    if json.kind == .array { messages = PendingMessages(json) } else { message(json) }
  }

  private func sayNotJSON(_ error: JSONError) { say(.badMessage, "A message is JSON, this is not: \(error).") }

  private func message(_ json: JSONElement) {
    let message: ClientMessage
    do throws(MessageError) {
      message = try ClientMessage(json)
    } catch {
      return say(.badMessage, error.description)
    }
    switch (state, message) {
    case (.live(let session), .act(let act)):
      self.act(act.number, act.acknowledgement, session) { $0.actOnLoop(act, from: self) }
    case (.live(let session), .ack(let acknowledgement)): acknowledge(acknowledgement, session)
    case (.live, .ping):
      loop.json.removeAll()
      loop.json.pong()
      sendMessage()
    case (.live, .resync):
      guard resyncs.take(at: loop.now) else {
        return say(.badMessage, "More than \(ResyncLimit.count) resyncs within \(ResyncLimit.seconds) seconds.")
      }
      owesSnapshot = true
      // It goes behind what waits, or now; a large one counts as many messages, so that nobody lives on them.
      if output.isEmpty { payDebt() }
      noteMessages(1, bytes: output.count)
    case (.live(let session), .back(let back)):
      act(back.number, back.acknowledgement, session) { session in
        session.assumeIsolated { $0.goBack(back, from: self) }
      }
    case (.live(let session), .check):
      // Hashing a large view is as much work as many messages.
      let index = renderer
      noteMessages(1, bytes: session.assumeIsolated { $0.sendHash(to: index) } * 4)
    case (.live(let session), .share(let scope)):
      let index = renderer
      if let (bye, reason) = session.assumeIsolated({ $0.share(scope, from: index) }) { say(bye, reason) }
    case (.live(let session), .bye):
      let index = renderer
      session.assumeIsolated { $0.clientSaidBye(index) }
    case (.greeting, .hello(let hello)): greet(hello)
    case (.live, .hello): say(.badMessage, "\"hello\" is said once on a connection.")
    case (.greeting, _): say(.badMessage, "The first message on a connection is \"hello\".")
    case (.http, _), (.moving, _), (.asleep, _), (.echo, _), (.closing, _), (.draining, _), (.closed, _): break
    }
  }

  @inline(__always)
  private func act(
    _ number: Int, _ acknowledgement: Acknowledgement?, _ session: Session, _ body: (Session) -> String?
  ) {
    if let acknowledgement {
      acknowledge(acknowledgement, session)
      guard case .live = state else { return }
    }
    noteAction()
    if let complaint = body(session) { say(.badMessage, complaint) }
  }

  private func acknowledge(_ acknowledgement: Acknowledgement, _ session: Session) {
    let index = renderer
    if let complaint = session.assumeIsolated({ $0.acknowledge(acknowledgement, from: index) }) {
      say(.badMessage, complaint)
    }
  }

  private func greet(_ hello: ClientMessage.Hello) {
    if let resume = hello.resume { return find(.resumption(resume)) }
    if let token = hello.share { return find(.invitation(token)) }
    let made: (Session, String)
    do throws(Ending) {
      made = try makeSession(hello)
    } catch {
      return say(error.bye, error.message)
    }
    let (session, token) = made
    state = .live(session)
    restartDeadline()
    if let complaint = session.assumeIsolated({ $0.start(self, hello.client, token: token) }) {
      return say(.failed, complaint)
    }
    drainWithOthers()
  }

  /// Builds the session that a `hello` asks for, on this loop.
  ///
  /// - Parameter hello: what the client wants.
  /// - Returns: the session, which is not started, and its client's token.
  /// - Throws: ``Ending`` that says why there is none.
  func makeSession(_ hello: ClientMessage.Hello) throws(Ending) -> (Session, token: String) {
    guard let app = context.apps[hello.app] else {
      let names = context.apps.keys.sorted().joined(separator: ", ")
      throw Ending(.unknownApp, "There is no app \"\(hello.app)\" here. There is: \(names).")
    }
    guard context.sessions.count < context.settings.limits.session else {
      throw Ending(.full, "The server has \(context.settings.limits.sessions) sessions, and takes no more.")
    }
    guard !context.isOverMemory.load(ordering: .relaxed) else {
      throw Ending(.full, "The server's memory is full. It takes new sessions again once there is room.")
    }
    let token = SessionToken.make()
    do {
      return (try Session(of: app, hello, token: token, on: loop, context), token)
    } catch let error as DecodingError {
      throw Ending(.badMessage, "The parameters do not fit the app \"\(app.name)\": \(error)")
    } catch {
      context.logger.error("A session could not be built.", metadata: ["app": "\(app.name)", "error": "\(error)"])
      throw Ending(.failed, "The app \"\(app.name)\" could not be started.")
    }
  }

  /// Nothing but a `ping` is answered without the session.
  private func wake(_ sleeper: Sleeper, for json: JSONElement) {
    if json.kind == .object, case .ping? = try? ClientMessage(json) {
      loop.json.removeAll()
      loop.json.pong()
      return sendMessage()
    }
    messages = json.kind == .array ? PendingMessages(json) : PendingMessages(waiting: json)
    messages?.wait()
    // Somebody else may have woken it this moment: then that word is on its way.
    if context.sessions.take(sleeper) { find(.wake(sleeper)) } else { state = .moving }
  }

  /// Keeps only what wakes the session when the client says something, or when the session is back for somebody else.
  func fallAsleep(_ sleeper: Sleeper) {
    state = .asleep(sleeper)
    waitingActions = WaitingActions()
    context.sessions.add(sleeper) { [weak self, loop] in
      guard let connection = self else { return }
      loop.execute { connection.wakeUp(sleeper) }
    }
  }

  /// Joins the session that somebody else has woken: what they do there is shown here as well.
  private func wakeUp(_ sleeper: Sleeper) {
    switch state {
    case .asleep, .moving: break
    case .http, .greeting, .live, .echo, .closing, .draining, .closed: return
    }
    find(.wake(sleeper))
    goOn()
  }

  /// Whether nothing is under way: neither what the client has said nor what it is told.
  var isIdle: Bool {
    // A stream of events could not wake the session.
    guard case .live = state, !isEventStream else { return false }
    return input.isEmpty && messages == nil && output.isEmpty && !owesSnapshot
  }

  /// How a client comes to a session that is there already.
  private enum Entrance: Sendable {
    /// It comes back.
    case resumption(ClientMessage.Resume)
    /// It was invited: with this token.
    case invitation(String)
    /// It was there all the time, and the session was not.
    case wake(Sleeper)

    var sessionID: String {
      switch self {
      case .resumption(let resume): resume.sessionID
      case .invitation(let token): String(token.prefix { $0 != "." })
      case .wake(let sleeper): sleeper.sessionID
      }
    }

    /// Of what is to open the session; nil for who is let in without.
    var tokenHash: String? {
      switch self {
      case .resumption(let resume): SessionToken.hash(resume.token)
      case .invitation(let token): SessionToken.hash(token)
      case .wake: nil
      }
    }
  }

  /// Looks for the session that the client wants, and goes to the loop where it lives.
  private func find(_ entrance: Entrance) {
    let home = loop
    let tokenHash = entrance.tokenHash
    let search = context.sessions.find(entrance.sessionID, tokenHash) { [weak self] session, bye, reason in
      guard let connection = self else { return }
      home.execute { connection.didFind(session, entrance, bye, reason) }
    }
    switch search {
    case .found(let session): go(to: session, entrance)
    case .waits: state = .moving
    case .mustLoad:
      state = .moving
      SessionLoader(context: context, loop: loop).load(entrance.sessionID, tokenHash)
    }
  }

  /// The session that was looked for is there, or is known not to be.
  private func didFind(_ session: Session?, _ entrance: Entrance, _ bye: Bye, _ reason: String) {
    // It is not asleep any more, and the session is not there.
    if session == nil, case .wake(let sleeper) = entrance, context.sessions.remove(sleeper) {
      loop.noteAbsence(ofSession: sleeper.sessionID, sleeper.lease)
    }
    guard case .moving = state else { return }
    state = .greeting
    if let session {
      go(to: session, entrance)
    } else if case .invitation = entrance, bye == .gone {
      say(.denied, "The session that this token was for is not there, or not any more.")
    } else {
      say(bye, reason)
    }
    goOn()
  }

  private func go(to session: Session, _ entrance: Entrance) {
    if session.loop === loop { return enter(session, entrance) }
    move(to: session.loop) { $0.enter(session, entrance) }
  }

  private func enter(_ session: Session, _ entrance: Entrance) {
    let admission = session.assumeIsolated { session in
      switch entrance {
      case .resumption(let resume): session.resume(self, resume)
      case .invitation(let token): session.join(self, with: token)
      case .wake(let sleeper): session.wake(self, sleeper)
      }
    }
    switch admission {
    case .refused(let bye, let reason): say(bye, reason)
    case .left: find(entrance)
    case .admitted:
      // Its view may have failed to be shown, or to be sent.
      guard !isEnding, !isClosed else { return }
      state = .live(session)
      restartDeadline()
      drainWithOthers()
    }
  }

  /// Says why the connection ends, in a message and in the close frame, and ends it.
  func say(_ bye: Bye, _ message: String) {
    debug("A connection ends.", ["bye": "\(bye.rawValue)", "reason": "\(message)"])
    switch bye {
    // Who has taken nothing for long would not take that either; a server that goes down has not the time; and the
    // client is elsewhere already.
    case .silent, .shutdown, .taken: break
    default: payDebt()
    }
    guard !isEnding else { return }
    loop.json.removeAll()
    loop.json.bye(bye, message: message)
    sendMessage()
    close(bye.closeCode, message)
  }

  /// Ends the connection with a close frame that says why, unless there was one.
  func close(_ code: CloseCode, _ reason: String) {
    guard !isEnding else { return }
    if !isEventStream { writer.close(code, reason: reason, into: &output.bytes) }
    finish(comesBack: Bye.Return(code))
  }

  private func debug(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
    guard context.logger.logLevel <= .debug else { return }
    var all = metadata()
    if case .live(let session) = state { all["session"] = "\(session.id)" }
    context.logger.debug(message, metadata: all)
  }
}
