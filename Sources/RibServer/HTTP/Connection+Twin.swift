import RibCore
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
      throw HTTPError(
        status: .badRequest,
        reason: """
          A session that is there needs no hello: go on with GET \(Endpoint.sessionsPath)/{sid}/events, its token in \(TokenField.name).
          """)
    }
    noteAction()
    try identify(hello.purpose, hello.auth, head, exchange) { connection, signIn throws(HTTPError) in
      if let token = hello.share {
        connection.hand(.join(hello.client), to: Entrance.sessionID(ofInvitation: token), token, signIn)
      } else {
        try connection.createSession(hello, signIn)
      }
    }
  }

  private func createSession(
    _ hello: ClientMessage.Hello, _ signIn: SignIn?
  ) throws(HTTPError) {
    let made: (Session, String)
    do throws(Ending) {
      made = try makeSession(hello, for: visit?.caller ?? caller, as: signIn)
    } catch {
      if let node = nodeOfAnotherProgram(after: error) { return passRequestOn(to: node) }
      throw HTTPError(error)
    }
    let (session, token) = made
    let done = completion()
    session.core.start(for: hello.client, token: token, signIn) { done(.response($0)) }
  }

  /// Authenticates the client of a request, and goes on with the request.
  ///
  /// - Parameters:
  ///   - purpose: what the client wants.
  ///   - credential: the credential in the request's body; nil for none.
  ///   - head: the request.
  ///   - exchange: the connection's.
  ///   - proceed: called with the person, nil for nobody; at once if the server has no authenticator.
  /// - Throws: what `proceed` throws at once; ``HTTPError`` with 403 for a cookie that a page of another site may have sent.
  private func identify(
    _ purpose: AuthenticationRequest.Purpose, _ credential: String?, _ head: RequestHead, _ exchange: HTTPExchange,
    _ proceed: @escaping @Sendable (Connection, SignIn?) throws(HTTPError) -> Void
  ) throws(HTTPError) {
    guard context.authentications != nil else {
      exchange.asked = head
      begin(.answer, of: exchange)
      return try orNoAnswer(exchange) { () throws(HTTPError) in try proceed(self, nil) }
    }
    // A signature is checked: that is as much work as an action.
    noteAction()
    let papers = try Papers(head, cookie: rules.settings.auth.cookie)
    exchange.asked = head
    begin(.answer, of: exchange)
    let shown = credential.map { .bearer($0) } ?? papers.credential
    let caller = exchange.visit?.caller ?? caller
    authenticate(purpose, shown, origin: papers.origin, from: caller) { connection, result in
      guard case .http(let exchange) = connection.state, exchange.phase == .answer else { return }
      connection.charging(exchange) {
        do throws(HTTPError) {
          switch result {
          case .success(let signIn):
            try proceed(connection, signIn)
            // The request may be answered by now, so that the next one can be read.
            connection.goOn()
          case .failure(let ending): throw HTTPError(ending)
          }
        } catch {
          connection.didAnswer(Response(problem: error))
        }
      }
    }
  }

  /// Runs a body that may refuse the request; if it does, the exchange is idle again, and the caller answers the request.
  private func orNoAnswer(_ exchange: HTTPExchange, _ body: () throws(HTTPError) -> Void) throws(HTTPError) {
    do throws(HTTPError) {
      try body()
    } catch {
      exchange.asked = nil
      begin(.idle, of: exchange)
      throw error
    }
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
    let token = try TokenField.token(in: head.headers)
    try identify(.resume(session: id), nil, head, exchange) { connection, signIn in
      connection.hand(request, to: id, token, signIn)
    }
  }

  /// Has a person sign in to a client, or renews the client's identity.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - body: `{"auth":"…"}`; empty if the credential is in the head.
  ///   - id: the session.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 401 without a token, with 404 without an authenticator, with 400 for any other body.
  func signIn(
    _ head: RequestHead, _ body: [UInt8], to id: String, _ exchange: HTTPExchange
  ) throws(HTTPError) {
    let token = try TokenField.token(in: head.headers)
    noteAction()
    guard context.authentications != nil else {
      throw HTTPError(status: .notFound, reason: "This server has no authenticator.")
    }
    var credential: String?
    if !body.isEmpty {
      guard let text = (try? loop.work.reader.read(body.span).root)?["auth"]?.string, text.isStreamSafe else {
        throw HTTPError(status: .badRequest, reason: "The body is {\"auth\":\"…\"}, with the credential.")
      }
      credential = text
    }
    try identify(.renew(session: id), credential, head, exchange) { connection, signIn in
      connection.hand(.signIn, to: id, token, signIn)
    }
  }

  /// Becomes the channel of the client that asks for its session's events, once the session is found.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - head: the request.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 401 without a token, with 400 for an attempt that is no number.
  func askForEvents(of id: String, _ head: RequestHead, _ exchange: HTTPExchange) throws(HTTPError) {
    let token = try TokenField.token(in: head.headers)
    let attempt = try TryField.number(in: head.headers)
    try count(to: exchange.visit?.caller ?? caller, during: exchange)
    try identify(.resume(session: id), nil, head, exchange) { connection, signIn throws(HTTPError) in
      if let ending = connection.count(signIn) { throw HTTPError(ending) }
      let features = head.headers.elements(of: "Riblet-Features")
      connection.channel.tellsClients = features.contains { $0 == ClientFeature.clients.rawValue }
      connection.find(.events(sessionID: id, token: token, after: head.headers["Last-Event-ID"], attempt: attempt))
    }
  }

  /// Looks for the session, and hands it the request.
  private func hand(_ request: TwinRequest, to id: String, _ token: String, _ signIn: SignIn?) {
    let session = finder.find(id, SessionClaim(tokenHash: SessionToken.hash(token))) { [weak self] result in
      switch result {
      case .success(.awake(let session)): self?.hand(request, to: session, token, signIn)
      // Only a WebSocket is answered without the session.
      case .success(.resting): break
      case .success(.elsewhere(let node)):
        self?.passRequestOn(to: node)
        self?.goOn()
      case .failure(let ending): self?.didAnswer(Response(problem: request.error(ending)))
      }
    }
    if let session { hand(request, to: session, token, signIn) }
  }

  private func hand(_ request: TwinRequest, to session: Session, _ token: String, _ signIn: SignIn?) {
    guard case .http(let exchange) = state, exchange.phase == .answer else { return }
    let done = completion(
      { $0.hand(request, to: session.id, token, signIn) },
      goOn: { $0.hand(request.rest, to: session.id, token, signIn) })
    let place = (exchange.visit?.caller ?? caller).place
    let loop = session.loop
    loop.execute {
      // The requests of one place would take as many turns as it has connections.
      loop.yield(to: place) {
        loop.work.begin(.body)
        session.core.answer(request, token, signIn, from: place, done)
      }
    }
  }

  /// Where a session's answer goes.
  private func completion(
    _ again: @escaping @Sendable (Connection) -> Void = { _ in },
    goOn: @escaping @Sendable (Connection) -> Void = { _ in }
  ) -> @Sendable (TwinAnswer) -> Void {
    let home = loop
    return { [self] answer in
      home.execute {
        switch answer {
        case .response(let response): self.didAnswer(response)
        case .left: again(self)
        case .early(let wait): self.wait(wait, again)
        case .unfinished(let wait): self.goOnWithRequest(after: wait, goOn)
        }
      }
    }
  }

  /// Repeats a request later, because its client has used up its budget.
  ///
  /// A request waits for 10 s in all, and only on a connection of the client's own. A shared connection is needed for other clients.
  private func wait(_ nanoseconds: UInt64, _ again: @escaping @Sendable (Connection) -> Void) {
    guard case .http(let exchange) = state, exchange.phase == .answer else { return }
    let pause = Self.pause(for: nanoseconds, after: exchange.waited)
    guard !isShared, exchange.waited + pause <= Self.longestDelay else {
      return didAnswer(Response(problem: .tooFast(nanoseconds)))
    }
    exchange.waited += pause
    goOnWithRequest(after: pause, again)
  }

  /// Goes on with a request later, unless the connection has ended by then.
  ///
  /// - Parameters:
  ///   - nanoseconds: the delay.
  ///   - body: the code that runs then; it is released when the connection ends.
  private func goOnWithRequest(after nanoseconds: UInt64, _ body: @escaping @Sendable (Connection) -> Void) {
    guard case .http(let exchange) = state else { return }
    exchange.continuation = body
    loop.execute(after: .nanoseconds(nanoseconds)) { [weak self] in
      guard let self, case .http(let exchange) = state, let continuation = exchange.continuation else { return }
      exchange.continuation = nil
      continuation(self)
    }
  }

  /// A session's answer has come, as a job of the loop: the requests behind it go on.
  ///
  /// A long one is compressed elsewhere.
  func didAnswer(_ response: Response) {
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked else { return goOn() }
    let isLong = response.isLongToCompress(for: head)
    if isLong, compress(response, for: head) { return }
    charging(exchange) { answer(with: response, isCompressed: isLong) }
    goOn()
  }

  /// Compresses an answer elsewhere, and sends it then; the time is charged as the loop's is.
  ///
  /// - Returns: false if too much waits to be compressed.
  private func compress(_ response: Response, for head: RequestHead) -> Bool {
    context.compressor.compress(response, for: head, of: self) { [loop] connection, compressed, nanoseconds in
      loop.execute {
        guard case .http(let exchange) = connection.state, exchange.phase == .answer else { return }
        connection.charge(nanoseconds, of: exchange)
        connection.answer(with: compressed, isCompressed: true)
        connection.goOn()
      }
    }
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
    (exchange.asked, exchange.body) = (nil, nil)
    countNoMore(exchange)
    countNoMorePerson()
    forgetPerson()
    begin(.idle, of: exchange)
    respond(response, to: head, isCompressed: isCompressed)
  }

  // MARK: Events

  /// The header fields of events: no proxy is to keep them back, be it to compress them or to send several at once.
  static let eventFields: HeaderFields = [
    "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
  ]

  /// Begins to answer a request for a client's events.
  ///
  /// - Parameter entrance: how the client comes in.
  /// - Returns: the number of bytes that were queued before, for ``endEvents(_:)``; nil if it asks for no events.
  func beginEvents(_ entrance: Entrance) -> Int? {
    guard case .events = entrance else { return nil }
    let start = output.bytes.count
    channel.trace = trace
    channel.transport = .events
    kind = .events
    var response = Response(status: .ok, headers: Self.eventFields)
    rules.gate.allowReading(&response.headers, visit)
    response.writeStreamHead(into: &output.bytes, date: loop.date)
    return start
  }

  /// Takes the beginning of such an answer back.
  ///
  /// - Parameter start: the number of bytes that were queued before it; nil if there is none.
  func endEvents(_ start: Int?) {
    guard let start else { return }
    channel.transport = .frames(.server)
    kind = .http
    output.bytes.removeSubrange(start...)
  }
}

extension RequestHead {
  /// Makes sure that a body does not claim to be what a form of any page sends without being asked (CSRF).
  ///
  /// Tools set the form's own type without being told to, and are no browsers: a browser says so.
  ///
  /// - Throws: ``HTTPError`` with 415.
  func checkIsJSON() throws(HTTPError) {
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
  init(body error: JSONError) {
    if error.reason == .tooLong {
      self.init(status: .contentTooLarge, reason: "\(error)")
    } else {
      self = .badRequest("The body is JSON, this is not: \(error).")
    }
  }
}
