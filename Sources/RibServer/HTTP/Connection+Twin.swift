import Wire
import WireHTTP

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
    try head.checkIsJSON()
    let hello: ClientMessage.Hello
    do {
      hello = try ClientMessage.Hello(try loop.work.reader.read(body.span).root)
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
      return wait(for: .join, of: Entrance.sessionID(ofInvitation: token), token, head, exchange)
    }
    let made: (Session, String)
    do throws(Ending) {
      made = try makeSession(hello, for: exchange.visit?.caller ?? caller)
    } catch {
      throw HTTPError(error)
    }
    let (session, token) = made
    begin(.answer, of: exchange)
    exchange.asked = head
    let done = completion()
    session.core.start(for: hello.client, token: token) { done(.response($0)) }
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
    let token = try token(in: head)
    if case .act(_, let body) = request { try noteActions(in: body) }
    wait(for: request, of: id, token, head, exchange)
  }

  /// Becomes the channel of the client that asks for its session's events, once the session is found.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - head: the request.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 401 without a token, with 400 for an attempt that is no number.
  func askForEvents(of id: String, _ head: RequestHead, _ exchange: HTTPExchange) throws(HTTPError) {
    let token = try token(in: head)
    let attempt = try TryField.number(in: head.headers)
    try count(to: exchange.visit?.caller ?? caller, during: exchange)
    begin(.answer, of: exchange)
    exchange.asked = head
    find(.events(sessionID: id, token: token, after: head.headers["Last-Event-ID"], attempt: attempt))
  }

  private func token(in head: RequestHead) throws(HTTPError) -> String {
    guard let field = head.headers["Authorization"], field.lowercased().hasPrefix("bearer ") else {
      throw .unauthorized("The client's token is to be in Authorization: Bearer TOKEN.")
    }
    return String(field.dropFirst(7).drop { $0 == " " })
  }

  /// Counts the actions of a body towards the client's limits, as if they had come one by one.
  private func noteActions(in body: [UInt8]) throws(HTTPError) {
    let json: JSONElement
    do throws(JSONError) {
      json = try loop.work.reader.read(body.span).root
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
    let session = finder.find(id, SessionToken.hash(token)) { [weak self] result in
      switch result {
      case .success(.awake(let session)): self?.hand(request, to: session, token)
      // Only a WebSocket is answered without the session.
      case .success(.resting): break
      case .failure(let ending): self?.didAnswer(Response(problem: request.error(ending)))
      }
    }
    if let session { hand(request, to: session, token) }
  }

  private func hand(_ request: TwinRequest, to session: Session, _ token: String) {
    guard case .http(let exchange) = state, exchange.phase == .answer else { return }
    let done = completion { $0.hand(request, to: session.id, token) }
    session.loop.execute { session.core.answer(request, token, done) }
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

  /// A session's answer has come, as a job of the loop: the requests behind it go on.
  ///
  /// An answer counts towards its client's limits by its length; a long one is compressed elsewhere.
  private func didAnswer(_ response: Response) {
    noteMessages(0, bytes: response.body.count)
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked,
      response.isLongToCompress(for: head)
    else {
      answer(with: response)
      return goOn()
    }
    let isCompressing = context.compressor.compress(response, for: head, of: self) { [loop] connection, compressed in
      loop.execute {
        connection.answer(with: compressed, isCompressed: true)
        connection.goOn()
      }
    }
    guard !isCompressing else { return }
    answer(with: response, isCompressed: true)
    goOn()
  }

  /// Answers the request that a session was asked for.
  ///
  /// The caller goes on with the requests behind it. A request that is refused at once is answered within the loop that
  /// handles the connection's requests, and must not begin another such loop.
  ///
  /// - Parameters:
  ///   - response: the answer.
  ///   - isCompressed: whether it is to be sent as it is.
  func answer(with response: Response, isCompressed: Bool = false) {
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked else { return }
    exchange.asked = nil
    countNoMore(exchange)
    begin(.idle, of: exchange)
    respond(response, to: head, isCompressed: isCompressed)
  }

  // MARK: Events

  /// Begins to answer a request for a client's events.
  ///
  /// - Parameter entrance: how the client comes in.
  /// - Returns: the number of bytes that were queued before, for ``endEvents(_:)``; nil if it asks for no events.
  func beginEvents(_ entrance: Entrance) -> Int? {
    guard case .events = entrance else { return nil }
    let start = output.bytes.count
    channel.transport = .events
    // Nobody on the way is to keep events back, be it to compress them or to send several at once.
    var response = Response(
      status: .ok,
      headers: [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
      ])
    context.gate.allowReading(&response.headers, visit)
    response.writeStreamHead(into: &output.bytes, date: loop.date)
    return start
  }

  /// Takes the beginning of such an answer back.
  ///
  /// - Parameter start: the number of bytes that were queued before it; nil if there is none.
  func endEvents(_ start: Int?) {
    guard let start else { return }
    channel.transport = .frames(.server)
    output.bytes.removeSubrange(start...)
  }
}

extension RequestHead {
  /// Makes sure that a body does not claim to be what a form of any page sends without being asked (CSRF).
  ///
  /// Tools set the form's own type without being told to, and are no browsers: a browser says so.
  ///
  /// - Throws: ``HTTPError`` with 415.
  fileprivate func checkIsJSON() throws(HTTPError) {
    guard let type = headers["Content-Type"]?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() else { return }
    let isOfAPage = headers["Origin"] != nil || headers["Sec-Fetch-Site"] != nil
    guard type != "application/json", !type.hasSuffix("+json"), isOfAPage || type != "application/x-www-form-urlencoded"
    else { return }
    throw HTTPError(status: .unsupportedMediaType, reason: "The body is JSON: its Content-Type is application/json.")
  }
}

extension HTTPError {
  /// A body that is no JSON, or too long.
  ///
  /// - Parameter error: what is wrong with it.
  fileprivate init(body error: JSONError) {
    self.init(status: error.reason == .tooLong ? .contentTooLarge : .badRequest, reason: "\(error)")
  }

  /// The client has not shown that it may ask.
  ///
  /// - Parameter reason: what is missing.
  /// - Returns: a 401, with the challenge that it must have (RFC 9110 §11.6.1).
  static func unauthorized(_ reason: String) -> HTTPError {
    HTTPError(status: .unauthorized, reason: reason, headers: ["WWW-Authenticate": "Bearer"])
  }
}
