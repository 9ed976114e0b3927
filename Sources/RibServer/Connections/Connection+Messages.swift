import Logging
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
    case (.live(let session), .act(let act)): self.act(act, session)
    case (.live(let session), .ack(let acknowledgement)): acknowledge(acknowledgement, session)
    case (.live, .ping):
      loop.json.removeAll()
      loop.json.pong()
      sendMessage()
    case (.live(let session), .resync):
      owesSnapshot = true
      // It goes behind what waits, or now; a large one counts as many messages, so that nobody lives on them.
      if output.isEmpty { session.assumeIsolated { $0.sendSnapshot() } }
      noteMessages(1, bytes: output.count)
    case (.live, .back), (.live, .check), (.live, .share): break
    case (.live(let session), .bye):
      say(.ended, "Goodbye.")
      session.assumeIsolated { $0.end() }
    case (.greeting, .hello(let hello)): greet(hello)
    case (.live, .hello): say(.badMessage, "\"hello\" is said once on a connection.")
    case (.greeting, _): say(.badMessage, "The first message on a connection is \"hello\".")
    case (.http, _), (.moving, _), (.echo, _), (.closing, _), (.draining, _), (.closed, _): break
    }
  }

  private func act(_ act: ClientMessage.Act, _ session: Session) {
    if let acknowledgement = act.acknowledgement {
      acknowledge(acknowledgement, session)
      guard case .live = state else { return }
    }
    noteAction()
    if let complaint = session.actOnLoop(act) { say(.badMessage, complaint) }
  }

  private func acknowledge(_ acknowledgement: Acknowledgement, _ session: Session) {
    if let complaint = session.assumeIsolated({ $0.acknowledge(acknowledgement) }) { say(.badMessage, complaint) }
  }

  private func greet(_ hello: ClientMessage.Hello) {
    if let resume = hello.resume { return find(resume) }
    guard let app = context.apps[hello.app] else {
      let names = context.apps.keys.sorted().joined(separator: ", ")
      return say(.unknownApp, "There is no app \"\(hello.app)\" here. There is: \(names).")
    }
    guard context.sessions.count < context.settings.limits.session else {
      return say(.full, "The server has \(context.settings.limits.sessions) sessions, and takes no more.")
    }
    let session: Session
    let token = Session.makeToken()
    do {
      session = try Session(of: app, hello, token: token, on: loop, context)
    } catch let error as DecodingError {
      return say(.badMessage, "The parameters do not fit the app \"\(app.name)\": \(error)")
    } catch {
      context.logger.error("A session could not be built.", metadata: ["app": "\(app.name)", "error": "\(error)"])
      return say(.failed, "The app \"\(app.name)\" could not be started.")
    }
    state = .live(session)
    restartDeadline()
    if let complaint = session.assumeIsolated({ $0.start(self, token: token) }) { say(.failed, complaint) }
  }

  /// Looks for the session that the client wants to go on with, and goes to the loop where it lives.
  private func find(_ resume: ClientMessage.Resume) {
    guard let session = context.sessions[resume.sessionID] else {
      return say(.gone, "There is no such session, or none any more. Say hello without resume.")
    }
    if session.loop === loop { return self.resume(session, resume) }
    move(to: session.loop) { $0.resume(session, resume) }
  }

  private func resume(_ session: Session, _ resume: ClientMessage.Resume) {
    if let (bye, reason) = session.assumeIsolated({ $0.resume(self, resume) }) { return say(bye, reason) }
    // Its view may have failed to be shown.
    guard !isEnding else { return }
    state = .live(session)
    restartDeadline()
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
    writer.close(code, reason: reason, into: &output.bytes)
    finish(comesBack: Bye.Return(code))
  }

  private func debug(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
    guard context.logger.logLevel <= .debug else { return }
    var all = metadata()
    if case .live(let session) = state { all["session"] = "\(session.id)" }
    context.logger.debug(message, metadata: all)
  }
}
