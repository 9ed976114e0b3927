import Wire

// The HTTP twin: a session without a WebSocket. A request is handed to the session's loop, and answered from there once
// what it tells is committed; until then the connection reads no further.

extension Connection {
  /// Makes a session, or lets a client join one.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - body: the fields of a `hello`.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` if the body is no `hello` for an app that there is.
  func createSession(_ head: RequestHead, _ body: [UInt8], _ exchange: HTTPExchange) throws(HTTPError) {
    let hello: ClientMessage.Hello
    do {
      hello = try ClientMessage.Hello(try loop.reader.read(body.span).root)
    } catch let error as JSONError {
      throw HTTPError(body: error)
    } catch {
      throw HTTPError(status: .badRequest, reason: "\(error)")
    }
    guard hello.resume == nil else {
      throw HTTPError(status: .badRequest, reason: "A session that is there needs no hello: use its token.")
    }
    noteAction()
    if let token = hello.share {
      let id = String(token.prefix { $0 != "." })
      return wait(for: .join, of: id, token, head, exchange)
    }
    let made: (Session, String)
    do throws(Ending) {
      made = try makeSession(hello)
    } catch {
      throw HTTPError(error.bye, error.message)
    }
    let (session, token) = made
    begin(.answer, of: exchange)
    exchange.asked = head
    let done = completion()
    session.assumeIsolated { $0.start(for: hello.client, token: token) { done(.response($0)) } }
  }

  /// Asks a session for what a request wants.
  ///
  /// - Parameters:
  ///   - request: what it wants.
  ///   - id: the session.
  ///   - head: the request.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 401 without a token.
  func ask(
    _ request: TwinRequest, of id: String, _ head: RequestHead, _ exchange: HTTPExchange
  ) throws(HTTPError) {
    guard let field = head.headers["Authorization"], field.lowercased().hasPrefix("bearer ") else {
      throw .unauthorized("The client's token is to be in Authorization: Bearer TOKEN.")
    }
    let token = String(field.dropFirst(7).drop { $0 == " " })
    if case .act(_, let body) = request { try noteActions(in: body) }
    wait(for: request, of: id, token, head, exchange)
  }

  /// Counts the actions of a body towards the client's limits, as if they had come one by one.
  private func noteActions(in body: [UInt8]) throws(HTTPError) {
    let json: JSONElement
    do throws(JSONError) {
      json = try loop.reader.read(body.span).root
    } catch {
      throw HTTPError(body: error)
    }
    let count = json.kind == .array ? json.count : 1
    guard count <= WaitingActions.limit else {
      throw HTTPError(
        status: .contentTooLarge, reason: "A request holds at most \(WaitingActions.limit) actions, this one \(count).")
    }
    for _ in 0..<count { noteAction() }
  }

  private func wait(
    for request: TwinRequest, of id: String, _ token: String, _ head: RequestHead, _ exchange: HTTPExchange
  ) {
    begin(.answer, of: exchange)
    exchange.asked = head
    hand(request, to: id, token)
  }

  /// Looks for the session, and hands it the request.
  private func hand(_ request: TwinRequest, to id: String, _ token: String) {
    let home = loop
    let tokenHash = SessionToken.hash(token)
    let search = context.sessions.find(id, tokenHash) { [weak self] session, bye, reason in
      guard let connection = self else { return }
      home.execute {
        if let session {
          connection.hand(request, to: session, token)
        } else {
          connection.didAnswer(Response(problem: request.error(bye, reason)))
        }
      }
    }
    switch search {
    case .found(let session): hand(request, to: session, token)
    case .waits: break
    case .mustLoad: SessionLoader(context: context, loop: loop).load(id, tokenHash)
    }
  }

  private func hand(_ request: TwinRequest, to session: Session, _ token: String) {
    guard case .http(let exchange) = state, exchange.phase == .answer else { return }
    if case .events(let last) = request { return openEvents(of: session, token, after: last, exchange) }
    let done = completion { $0.hand(request, to: session.id, token) }
    session.loop.execute { session.assumeIsolated { $0.answer(request, token, done) } }
  }

  /// Where a session's answer goes.
  private func completion(
    _ again: @escaping @Sendable (Connection) -> Void = { _ in }
  ) -> @Sendable (TwinAnswer) -> Void {
    let home = loop
    return { [self] answer in
      home.execute {
        switch answer {
        case .response(let response): self.didAnswer(response)
        case .left: again(self)
        }
      }
    }
  }

  private func didAnswer(_ response: Response) {
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked else { return }
    exchange.asked = nil
    begin(.idle, of: exchange)
    respond(response, to: head)
    goOn()
  }

  // MARK: Events

  /// Becomes the client's connection, on the session's loop.
  private func openEvents(of session: Session, _ token: String, after last: String?, _ exchange: HTTPExchange) {
    let head = exchange.asked
    let open: @Sendable (Connection) -> Void = { connection in
      connection.openEvents(of: session, token, after: last, head)
    }
    if session.loop === loop {
      open(self)
      goOn()
    } else {
      move(to: session.loop, open)
    }
  }

  private func openEvents(of session: Session, _ token: String, after last: String?, _ head: RequestHead?) {
    guard let head else { return abort() }
    isEventStream = true
    let start = output.bytes.count
    Response(status: .ok, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"])
      .writeStreamHead(into: &output.bytes, date: loop.date)
    let refusal = session.assumeIsolated { $0.openEvents(self, token, after: last) }
    guard let refusal else {
      guard !isEnding, !isClosed else { return }
      state = .live(session)
      restartDeadline()
      return drainWithOthers()
    }
    isEventStream = false
    output.bytes.removeSubrange(start...)
    let exchange = HTTPExchange(context.settings.limits.http)
    state = .http(exchange)
    guard case .response(let response) = refusal else {
      begin(.answer, of: exchange)
      exchange.asked = head
      return hand(.events(after: last), to: session.id, token)
    }
    begin(.idle, of: exchange)
    respond(response, to: head)
  }

  /// Writes the message in the loop's writer as an event (HTML, §9.2: server-sent events).
  ///
  /// - Parameter id: the view that the client has after it; nil if it is about something else.
  func writeEvent(id: String?) {
    if let id { output.bytes.append(contentsOf: "id: \(id)\n".utf8) }
    output.bytes.append(contentsOf: "data: ".utf8)
    output.bytes.append(contentsOf: loop.json.bytes)
    output.bytes.append(contentsOf: "\n\n".utf8)
  }
}

extension HTTPError {
  /// A body that is no JSON, or too long.
  ///
  /// - Parameter error: what is wrong with it.
  fileprivate init(body error: JSONError) {
    self.init(status: error.reason == .tooLong ? .contentTooLarge : .badRequest, reason: "\(error)")
  }

  /// Who asks has not shown that they may.
  ///
  /// - Parameter reason: what is missing.
  /// - Returns: a 401, with the challenge that it must have (RFC 9110 §11.6.1).
  static func unauthorized(_ reason: String) -> HTTPError {
    HTTPError(status: .unauthorized, reason: reason, headers: ["WWW-Authenticate": "Bearer"])
  }
}
