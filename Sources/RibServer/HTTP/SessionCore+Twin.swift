import Logging
import RibCore
import Wire
import WireHTTP

extension SessionCore {
  /// Answers a request, once what it tells is committed.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - token: the asking client's.
  ///   - signIn: the person behind the client; nil for nobody.
  ///   - place: the client's place, which is charged; nil if it has none.
  ///   - done: called with the answer, on the session's loop.
  func answer(
    _ request: TwinRequest, _ token: String, _ signIn: SignIn?, from place: Place? = nil,
    _ done: @escaping @Sendable (TwinAnswer) -> Void
  ) {
    guard life.isInMemory else { return done(.left) }
    applyRevocations()
    do throws(HTTPError) {
      // No connection binds the client to a process: another process may have answered it meanwhile, and have the session. A commit
      // says so; while the store fails, nobody knows.
      if mayBeElsewhere { noteCommit() }
      guard !commits.isFailing || !mayBeElsewhere else { throw HTTPError(Self.elsewhere.bye, Self.elsewhere.message) }
      if case .join(let info) = request { return try join(with: token, info, signIn, from: place, done) }
      guard let client = audience.client(with: token) else {
        return try refuse(HTTPError(ofClient: Ending(.denied, "")), done)
      }
      let budget = budget(of: client)
      let debt = context.debt(of: place, signIn?.identity, at: work.now)
      let wait =
        request.isEnd || request.isRest ? 0 : max(budget.wait(at: work.now), budget.wait(forDebt: debt, at: work.now))
      guard wait == 0 else { return done(.early(wait)) }
      if !request.isRest { _ = budget.noteMessages(1, bytes: 0, at: work.now) }
      defer { collect(from: budget, place, signIn?.identity, isLast: request.isEnd) }
      if case .signIn = request { return try self.signIn(client, token, signIn, done) }
      if let ending = takeRequest(of: client, showing: token, signIn) { return try refuse(HTTPError(ending), done) }
      // A client that asks is there.
      if life.aloneSince != nil { life.aloneSince = work.now }
      try charging(client) { () throws(HTTPError) in
        switch request {
        case .act(let first, let body, let trace, let goesOn):
          work.trace = trace
          defer { work.trace = nil }
          try act(first, body, goesOn, of: client, done)
        case .view(let known): answerView(unless: known, budget, done)
        case .end:
          // The answer is made to wait for the commit before the session ends: what begins to wait after the end is never called.
          noteChange()
          answer(done) { Response(status: .noContent) }
          clientSaidBye(client)
        case .join, .signIn: break
        }
      }
    } catch {
      done(.response(Response(problem: error)))
    }
  }

  /// Answers once all that was done so far is committed, or goes on in memory because the store fails: but not from memory alone, if
  /// another process may have the session by now.
  ///
  /// - Parameters:
  ///   - done: called with the answer.
  ///   - response: makes the answer.
  private func answer(_ done: @escaping @Sendable (TwinAnswer) -> Void, with response: @escaping () -> Response) {
    whenCommitted { [self] isCommitted in
      guard isCommitted else { return done(.response(.moved)) }
      guard commits.isFailing, mayBeElsewhere else { return done(.response(response())) }
      done(.response(Response(problem: HTTPError(Self.elsewhere.bye, Self.elsewhere.message))))
    }
  }

  /// Turns away who is unknown here; where another process may have the session, once a commit has shown that none has.
  private func refuse(_ error: HTTPError, _ done: @escaping @Sendable (TwinAnswer) -> Void) throws(HTTPError) {
    guard mayBeElsewhere else { throw error }
    answer(done) { Response(problem: error) }
  }

  private var tag: String { "\(epoch).\(revision)" }

  // MARK: Actions

  /// Runs actions, as many as there is time for.
  ///
  /// The numbers say which of a request's actions are done already, also if the client has sent them in another request meanwhile.
  private func act(
    _ first: Int, _ body: [UInt8], _ goesOn: Bool, of client: Int, _ done: @escaping @Sendable (TwinAnswer) -> Void
  ) throws(HTTPError) {
    let (budget, start, last) = (budget(of: client), work.time(), audience[client].ledger.number)
    let actions = try read(body)
    if !goesOn { _ = budget.noteMessages(0, bytes: body.count, at: work.now) }
    guard first <= audience[client].ledger.number + 1 else {
      let conflict = HTTPError(
        status: .conflict,
        reason: "Action \(first) came after \(audience[client].ledger.number): numbers go up by one.")
      return answer(done) { Response(problem: conflict) }
    }
    // A repetition of actions that are done costs a message.
    if !goesOn { for number in actions.indices where first + number > last { _ = budget.noteAction(at: work.now) } }
    _ = acknowledge(Acknowledgement(revision: 0, number: first - 1), from: client)
    // What the request is refused now is told whole, however much of it is kept.
    var nacks = audience[client].ledger.nacks.filter { $0.number >= first }
    let omitted = audience[client].ledger.record.omitted.flatMap { $0.last >= first ? $0.count : nil }
    for (offset, action) in actions.enumerated() where !goesOn || first + offset > last {
      if work.time() - start > EventLoop.longestTurn, audience[client].ledger.number > last {
        return done(.unfinished(budget.waitForTime(at: work.now)))
      }
      let name = seenName(of: action.action, to: action.to)
      let complaint = run(first + offset, of: client, to: action.to, named: name) { () throws(Refusal) in
        if spans != nil { beginSpan(of: action.action, to: action.to, client) }
        guard let content = action.action else {
          return try tree.back(from: action.to, rendering: work.viewRenderer).commands
        }
        return try tree.perform(content, for: action.to, by: audience[client].actor, rendering: work.viewRenderer)
      }
      if let complaint { throw HTTPError(status: .conflict, reason: complaint) }
      if let last = audience[client].ledger.nacks.last, last.number == first + offset, nacks.last != last {
        nacks.append(last)
      }
    }
    let number = audience[client].ledger.number
    answer(done) { [self, revision, nacks] in
      // What a client was welcomed with needs no repetition.
      let less = durability == storeDurability ? nil : durability
      let response = Self.outcome(revision: revision, number: number, nacks, omitted, less)
      budget.noteAnswer(bytes: response.body.count)
      return response
    }
  }

  private func read(_ body: [UInt8]) throws(HTTPError) -> [(to: NodeAddress, action: JSONElement?)] {
    let json: JSONElement
    do throws(JSONError) {
      json = try work.reader.read(body.span).root
    } catch {
      throw HTTPError(body: error)
    }
    let count = json.kind == .array ? json.count : 1
    guard count <= WaitingActions.limit else {
      throw HTTPError(
        status: .contentTooLarge,
        reason: """
          A request holds at most \(WaitingActions.limit) actions, this one \(count). None was done, and their numbers are free.
          """)
    }
    var actions: [(to: NodeAddress, action: JSONElement?)] = []
    do throws(MessageError) {
      for element in json.kind == .array ? Array(json.elements) : [json] {
        actions.append(try ClientMessage.unnumbered(element))
      }
    } catch {
      throw .badRequest(count == 1 ? "\(error)" : "Of the request's actions, number \(actions.count + 1): \(error)")
    }
    return actions
  }

  private static func outcome(
    revision: Int, number: Int, _ nacks: [Nack], _ omitted: Int?, _ durability: Welcome.Durability?
  )
    -> Response
  {
    var json = JSONWriter()
    json.beginObject()
    json.key("rev")
    json.integer(revision)
    json.key("n")
    json.integer(number)
    json.key("nacks")
    json.beginArray()
    for nack in nacks {
      json.beginObject()
      nack.write(into: &json)
      json.endObject()
    }
    json.endArray()
    if let omitted {
      json.key("nacksOmitted")
      json.integer(omitted)
    }
    if let durability {
      json.key("durability")
      json.string(durability.rawValue)
    }
    json.endObject()
    return Response(
      status: .ok, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: json.bytes)
  }

  // MARK: The view

  private func answerView(
    unless known: ListElements, _ budget: ClientBudget, _ done: @escaping @Sendable (TwinAnswer) -> Void
  ) {
    confirmIfSuspended()
    let headers: HeaderFields = ["ETag": "\"\(tag)\"", "Cache-Control": "no-cache"]
    guard !known.contains(where: { EntityTag.matches($0, "\"\(tag)\"") }) else {
      return answer(done) { Response(status: .notModified, headers: headers) }
    }
    var json = JSONWriter()
    do throws(CaptureError) {
      try tree.writeView(into: &json, rendering: work.viewRenderer)
    } catch {
      return done(
        .response(.problem(.internalServerError, detail: "The view cannot be encoded: \(error)")))
    }
    var all = headers
    all.append(name: "Content-Type", value: "application/json")
    budget.noteAnswer(bytes: json.count)
    let response = Response(status: .ok, headers: all, body: json.bytes)
    answer(done) { response }
  }

  // MARK: New clients

  /// Starts the tree for a client that has no connection, and answers it.
  func start(for info: ClientInfo, token: String, _ signIn: SignIn?, _ done: @escaping @Sendable (Response) -> Void) {
    charging(1) {
      if let complaint = start(nil, info, token: token) {
        return done(Response(problem: HTTPError(.failed, complaint)))
      }
      answerNewClient(1, token, signIn, done)
    }
    // The place is charged for the request.
    collect(from: budget(of: 1), nil, signIn?.identity)
  }

  private func join(
    with invitation: String, _ info: ClientInfo, _ signIn: SignIn?, from place: Place?,
    _ done: @escaping @Sendable (TwinAnswer) -> Void
  ) throws(HTTPError) {
    if let ending = refusal(of: signIn?.identity) { return try refuse(HTTPError(ending), done) }
    switch accept(invitation, info, signIn?.identity) {
    case .failure(let ending): try refuse(HTTPError(ending), done)
    case .success(let (client, token)):
      lastActor = client
      charging(client) { answerNewClient(client, token, signIn) { done(.response($0)) } }
      // The client may never ask for anything again.
      collect(from: budget(of: client), place, signIn?.identity)
    }
  }

  /// Binds a client to a person, and answers `{"expires":…,"token":…}`: the token only if it is a new one.
  private func signIn(
    _ client: Int, _ token: String, _ signIn: SignIn?, _ done: @escaping @Sendable (TwinAnswer) -> Void
  ) throws(HTTPError) {
    guard let signIn else { throw HTTPError(.credentialMissing("A credential is needed here.")) }
    switch judge(client, signIn.identity) {
    case .failure(let ending): try refuse(HTTPError(ending), done)
    case .success(let binding):
      // A client that asks is there.
      if life.aloneSince != nil { life.aloneSince = work.now }
      let newToken = bind(client, binding, showing: token)
      if newToken == nil {
        takeOver(signIn, of: client)
      } else if audience[client].channel != nil {
        // Only the request gets the new token: the peer that is connected with the former token need not be the same program.
        dismiss(client, .moved, "This client has signed in: come back with its new token.")
        tellClients()
        noteAbsence()
      }
      let expires = (audience[client].channel?.signIn ?? signIn).millisecondsLeft(at: work.now)
      answer(done) {
        var json = JSONWriter()
        json.auth(expires: expires, token: newToken)
        return Response(
          status: .ok, headers: ["Content-Type": "application/json", "Cache-Control": Self.cachingOfSecrets],
          body: json.bytes)
      }
    }
  }

  /// Of an answer with a token: nobody keeps it, and nobody compresses it.
  private static let cachingOfSecrets = "no-store, no-transform"

  /// Says what `welcome` and `snap` say together.
  private func answerNewClient(
    _ client: Int, _ token: String, _ signIn: SignIn?, _ done: @escaping @Sendable (Response) -> Void
  ) {
    let promised = durability
    let response = newClientResponse(client, token, signIn)
    whenCommitted { isCommitted in
      guard isCommitted else {
        return done(self.isOverQuota ? Response(problem: HTTPError(Self.quota)) : .moved)
      }
      // It promises no more than what is true by then.
      done(self.durability == promised ? response : self.newClientResponse(client, token, signIn))
    }
  }

  private func newClientResponse(_ client: Int, _ token: String, _ signIn: SignIn?) -> Response {
    var json = JSONWriter()
    json.beginObject()
    json.key("t")
    json.string("welcome")
    makeWelcome(for: client, token, isResumed: false, signIn).write(into: &json)
    json.key("view")
    do throws(CaptureError) {
      try tree.writeView(into: &json, rendering: work.viewRenderer)
    } catch {
      return .problem(.internalServerError, detail: "The view cannot be encoded: \(error)")
    }
    json.endObject()
    budget(of: client).noteAnswer(bytes: json.count)
    return Response(
      status: .created,
      headers: [
        "Location": "\(Endpoint.sessionsPath)/\(id)", "ETag": "\"\(tag)\"", "Content-Type": "application/json",
        "Cache-Control": Self.cachingOfSecrets,
      ], body: json.bytes)
  }
}

extension Response {
  /// The session was taken over by another process before what was done in it could be committed.
  fileprivate static var moved: Response {
    Response(problem: HTTPError(.moved, "The session goes on elsewhere: ask again."))
  }
}
