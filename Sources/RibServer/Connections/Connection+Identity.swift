import Logging
import RibCore
import Wire
import WireHTTP

// The client's authentication.

extension Connection {
  /// The state of the client's authentication.
  enum Door {
    /// The authenticator is not being asked.
    case open
    /// The WebSocket's request has brought these; the client has not said `hello`.
    case papers(Papers)
    /// The authenticator is being asked.
    case asking(Authentication)
    /// The client's `hello` waits for its turn.
    indirect case waiting(ClientMessage.Hello)
  }

  /// Asks the authenticator which person a credential belongs to; does nothing if the server has no authenticator.
  ///
  /// - Parameters:
  ///   - purpose: what the client wants.
  ///   - credential: what the client has shown; nil for nothing.
  ///   - origin: the origin of the page that the client runs in; nil if it runs in none.
  ///   - caller: the client's address.
  ///   - completion: called on the loop, later; never if the connection is closed by then, or has moved.
  func authenticate(
    _ purpose: AuthenticationRequest.Purpose, _ credential: AuthenticationRequest.Credential?, origin: String?,
    from caller: Caller, _ completion: @escaping @Sendable (Connection, Result<SignIn?, Ending>) -> Void
  ) {
    let request = AuthenticationRequest(
      purpose, credential: credential, address: caller.address?.description, origin: origin)
    ask(.credential(request), from: caller, unless: isSpent(request, caller) ? Self.tooManyFailures : nil, completion)
  }

  /// Whether the client's place has spent its budget of failed sign-ins, so that the credential is refused unseen.
  ///
  /// A renewal on a connection that has a person is never refused for that.
  private func isSpent(_ request: AuthenticationRequest, _ caller: Caller) -> Bool {
    guard request.credential != nil, let place = caller.place else { return false }
    if case .renew = request.purpose, channel.isJoined, channel.signIn != nil { return false }
    return context.failedSignIns.isSpent(place, at: loop.now)
  }

  /// Asks the authenticator, instead of the question that is under way, if there is one.
  ///
  /// - Parameters:
  ///   - question: the question.
  ///   - caller: the client's address.
  ///   - refusal: what `completion` gets if the authenticator is not to be asked; nil if it is to be.
  ///   - completion: called on the loop, later; never if the connection is closed by then, or has moved.
  private func ask(
    _ question: Authentication.Question, from caller: Caller, unless refusal: Ending?,
    _ completion: @escaping @Sendable (Connection, Result<SignIn?, Ending>) -> Void
  ) {
    guard let authentications = context.authentications else { return }
    let authentication = Authentication(question, at: loop.now, caller.place, completion) { [weak self, loop] it in
      loop.execute { [weak self] in self?.didAuthenticate(it) }
    }
    cancelAuthentication()
    door = .asking(authentication)
    if let refusal {
      count(authentication, "throttled")
      return giveUp(authentication, refusal)
    }
    guard authentications.begin(authentication) else {
      count(authentication, "unavailable")
      return giveUp(authentication, Self.busy)
    }
    schedule(after: rules.settings.timeouts.authenticationSeconds)
  }

  private static let tooManyFailures = Ending(
    .busy, "Too many credentials from this address were wrong. Come back in a minute.", retryAfter: 60)
  private static let notHeld = Ending(
    .unauthenticated, "The server does not let this person in any more: show a credential again.")
  private static let busy = Ending(.busy, "The server cannot check credentials at present. Come back later.")

  /// Takes the authenticator's answer.
  private func didAuthenticate(_ authentication: Authentication) {
    guard let answer = authentication.takeResult() else { return }
    if case .asking(let mine) = door, mine === authentication { door = .open }
    loop.work.stats.authenticationTimes.add(loop.now - min(authentication.start, loop.now))
    let result = judge(answer, authentication)
    if let desk = context.desk {
      if case .success = result { isOperators = true }
      if case .failure(.invalid) = answer, noteWrongToken(desk) {
        return loop.execute(after: AdminDesk.refusalDelay) { [weak self] in
          if let self, !isClosed { authentication.completion(self, result) }
        }
      }
    }
    authentication.completion(self, result)
  }

  /// Completes a question without the authenticator: it is not asked, or has not answered in time.
  private func giveUp(_ authentication: Authentication, _ ending: Ending) {
    context.authentications?.giveUp(authentication)
    door = .open
    // A recheck without an answer is not repeated at once, but after the next interval.
    if case .holds = authentication.question { channel.signIn?.didCheck(at: loop.now) }
    loop.execute { [weak self] in
      guard let self, !isClosed else { return }
      authentication.completion(self, .failure(ending))
    }
  }

  /// Cancels the question that is under way, if there is one: its completion is not called.
  func cancelAuthentication() {
    if case .asking(let authentication) = door { context.authentications?.leave(authentication) }
    door = .open
  }

  /// Gives up a question that the authenticator has not answered in time.
  func checkAuthentication() {
    guard case .asking(let authentication) = door else { return }
    let elapsed = Int((loop.now - authentication.start) / 1_000_000_000)
    let limit = rules.settings.timeouts.authenticationSeconds
    guard elapsed >= limit else { return schedule(after: limit - elapsed) }
    rules.gate.noteUnavailable("The authenticator has not answered in time.")
    count(authentication, "unavailable")
    giveUp(authentication, Self.busy)
  }

  private func judge(_ answer: Authentication.Answer, _ authentication: Authentication) -> Result<SignIn?, Ending> {
    guard case .credential(let request) = authentication.question else {
      guard case .success(nil) = answer else {
        count(authentication, answer.name)
        return .success(nil)
      }
      count(authentication, "forbidden")
      return .failure(Self.notHeld)
    }
    let (outcome, result) = judge(answer, request, authentication.place)
    count(authentication, outcome)
    return result
  }

  /// What becomes of a client, by what the authenticator has said of its credential.
  private func judge(
    _ answer: Authentication.Answer, _ request: AuthenticationRequest, _ place: Place?
  ) -> (outcome: String, Result<SignIn?, Ending>) {
    switch answer {
    case .failure(let error):
      note(error, request, place)
      return (answer.name, .failure(Ending(error)))
    case .success(nil): return (answer.name, .success(nil))
    case .success(let identity?):
      if let fault = identity.fault {
        context.logger.error(
          "The authenticator has returned an invalid identity.", metadata: ["reason": "\(fault)"])
        return ("invalid", .failure(Ending(.failed, "The server cannot take this identity.")))
      }
      let signIn = SignIn(identity, context.environment.time, grace: rules.settings.auth.graceSeconds)
      guard !signIn.isOver(at: loop.time()) else { return ("expired", .failure(Ending.expired)) }
      guard !context.revocations.refuses(identity) else { return ("revoked", .failure(SessionCore.outdated)) }
      return (answer.name, .success(signIn))
    }
  }

  private func note(_ error: AuthenticationError, _ request: AuthenticationRequest, _ place: Place?) {
    switch error {
    case .missing, .forbidden: break
    case .invalid(let reason):
      if let place { _ = context.failedSignIns.take(from: place, at: loop.now) }
      rules.gate.noteRefusedCredential(of: request.address ?? "none", reason)
    case .expired: if let place { _ = context.failedSignIns.take(from: place, at: loop.now) }
    case .unavailable(let reason):
      rules.gate.noteUnavailable(reason)
    }
  }

  // MARK: WebSocket

  /// Authenticates a client that has said `hello`, and gets it the session that it asks for.
  func greet(_ hello: ClientMessage.Hello) {
    guard context.authentications != nil else { return letIn(hello) }
    var papers: Papers?
    if case .papers(let brought) = door { papers = brought }
    channel.search()
    let credential = hello.auth.map { .bearer($0) } ?? papers?.credential
    authenticate(hello.purpose, credential, origin: papers?.origin, from: caller) { connection, result in
      guard connection.channel.endSearch() else { return }
      switch result {
      case .success(let signIn):
        if let ending = connection.count(signIn) {
          connection.channel.say(ending.bye, ending.message)
        } else {
          connection.letIn(hello, isItsTurn: false)
        }
      case .failure(let ending): connection.channel.say(ending.bye, ending.message)
      }
      connection.goOn()
    }
  }

  /// Gets a client the session that it asks for, once its place and its person may use the loop again.
  ///
  /// Of many that come at once each may take long: those that are in their session already have their turn in between.
  ///
  /// - Parameters:
  ///   - hello: what the client asks for.
  ///   - start: when it has asked; nil for now.
  ///   - isItsTurn: whether the others were asked before it; false as long as nobody knows.
  private func letIn(_ hello: ClientMessage.Hello, since start: UInt64? = nil, isItsTurn: Bool = true) {
    let wait = ClientBudget.waitWithoutBudget(forDebt: debt(of: caller.place, channel.signIn?.identity), at: loop.now)
    if wait == 0, isItsTurn, loop.time() - loop.now < EventLoop.longestTurn { return charging { enter(with: hello) } }
    let start = start ?? loop.now
    let waited = loop.now - start
    guard waited + wait <= Self.longestDelay else {
      let ending = wait > 0 ? Ending.tooFast(wait) : .busy
      return channel.say(ending.bye, ending.message)
    }
    channel.search()
    door = .waiting(hello)
    let tryAgain = { @Sendable [weak self] in
      guard let self, case .waiting(let hello) = door, channel.endSearch() else { return }
      door = .open
      letIn(hello, since: start)
      goOn()
    }
    guard wait > 0 else { return loop.yield(to: caller.place, tryAgain) }
    loop.execute(after: .nanoseconds(Self.pause(for: wait, after: waited))) { [loop, caller] in
      loop.yield(to: caller.place, tryAgain)
    }
  }

  private func enter(with hello: ClientMessage.Hello) {
    channel.tellsClients = hello.features.contains(.clients)
    if let resume = hello.resume {
      find(.resumption(resume))
    } else if let token = hello.share {
      find(.invitation(token, hello.client))
    } else {
      begin(hello)
    }
  }

  /// Authenticates a client that shows a credential after its `hello`, while the client goes on.
  ///
  /// - Parameter credential: the credential of an `auth` message.
  func renew(_ credential: String) {
    guard context.authentications != nil, let session = channel.sessionID else {
      return channel.say(.badMessage, "This server has no authenticator: \"auth\" is not among its features.")
    }
    // One credential at a time: one that the client shows meanwhile is ignored, and the client gets the answer to the first.
    if case .asking(let authentication) = door, case .credential = authentication.question { return }
    authenticate(.renew(session: session), .bearer(credential), origin: nil, from: caller) { connection, result in
      switch result {
      // The client keeps its identity, and renews it again before it expires. A client without an identity has nothing to renew, and
      // is told that the server is busy.
      case .failure(let ending) where ending.bye == .busy && connection.channel.signIn != nil:
        connection.channel.keepIdentity()
      case .success(let signIn?): connection.goOn(as: signIn)
      case .success(nil): connection.channel.say(.unauthenticated, "The credential is not that of a person.")
      case .failure(let ending): connection.channel.say(ending.bye, ending.message)
      }
      connection.scheduleExpiry()
      connection.flush()
    }
  }

  /// Ends the connection if the client's person was signed out after the client was bound to it, or after its credential was issued.
  func endIfRevoked() {
    switch channel.state {
    case .live(let core, _): core.applyRevocations()
    case .asleep, .searching:
      guard let identity = channel.signIn?.identity else { return }
      if context.revocations.refuses(identity) {
        channel.say(Binding.revoked.bye, Binding.revoked.message)
      } else if context.revocations.concerns(identity) {
        // Only the session, which is not in memory, knows whether the client was bound before the sign-out.
        channel.say(.moved, "A sign-out of this person may concern this client: connect again.")
      }
    case .greeting, .over: break
    }
    flush()
  }

  /// Schedules the end of the client's identity, and asks the authenticator again about its person if that is due.
  func scheduleExpiry() {
    guard let signIn = channel.signIn else { return }
    if let seconds = signIn.secondsLeft(at: loop.now) { schedule(after: max(seconds, 1)) }
    let interval = rules.settings.auth.recheckSeconds
    guard interval > 0, channel.isJoined else { return }
    // The answer to a credential that is being checked says more than a recheck.
    guard case .open = door else { return schedule(after: interval) }
    let wait = signIn.secondsToCheck(every: interval, at: loop.now)
    schedule(after: wait == 0 ? interval : wait)
    if wait == 0 { recheck(signIn.identity) }
  }

  /// Asks the authenticator whether a person is still let in; the client goes on meanwhile, and also if there is no answer.
  private func recheck(_ identity: Identity) {
    ask(.holds(identity), from: caller, unless: nil) { connection, result in
      connection.channel.signIn?.didCheck(at: connection.loop.now)
      guard case .failure(let ending) = result, ending.bye != .busy else { return }
      connection.channel.say(ending.bye, ending.message)
      connection.flush()
    }
  }
}

extension ClientMessage.Hello {
  /// What the client wants, as an authenticator is told.
  var purpose: AuthenticationRequest.Purpose {
    if let resume { return .resume(session: resume.sessionID) }
    if let share { return .join(session: Entrance.sessionID(ofInvitation: share)) }
    return .begin(app: app)
  }
}

extension Identity {
  /// What makes the identity invalid; nil if it is valid.
  fileprivate var fault: String? {
    guard 1...255 ~= subject.utf8.count else {
      return "The subject has \(subject.utf8.count) bytes; it can have 1 to 255."
    }
    guard [secondIssued, secondExpires].allSatisfy({ $0?.isFinite != false }) else { return "A time is not finite." }
    guard claims.values.allSatisfy(\.isFinite) else { return "A claim has a number that JSON cannot express." }
    guard issuer.utf8.count <= 1024 else { return "The issuer has \(issuer.utf8.count) bytes; it can have 1024." }
    let size =
      claims.reduce(0) { $0 + $1.key.utf8.count + $1.value.text.utf8.count }
      + roles.reduce(0) { $0 + $1.utf8.count }
    guard size <= 4096 else { return "Roles and claims have \(size) bytes; they can have 4096." }
    let isSafe =
      [subject, issuer].allSatisfy(\.isStreamSafe) && roles.allSatisfy(\.isStreamSafe)
      && claims.allSatisfy { $0.key.isStreamSafe && $0.value.text.isStreamSafe }
    return isSafe ? nil : "A text has too many combining marks or regional indicators in a row."
  }
}

extension JSONValue {
  /// Whether all of its numbers can be written as JSON.
  fileprivate var isFinite: Bool {
    switch self {
    case .number(let number): number.isFinite
    case .array(let elements): elements.allSatisfy(\.isFinite)
    case .object(let members): members.allSatisfy(\.value.isFinite)
    case .null, .bool, .integer, .digits, .string: true
    }
  }
}

extension Ending {
  /// The ending of a client whose credential is not accepted.
  ///
  /// - Parameter error: the authenticator's reason.
  init(_ error: AuthenticationError) {
    switch error {
    case .missing: self = .credentialMissing("A credential is needed here.")
    case .invalid(let reason): self.init(.unauthenticated, reason)
    case .expired: self = .expired
    case .forbidden(let reason): self.init(.forbidden, reason)
    // The reason is for the server's log only.
    case .unavailable: self.init(.busy, "The server cannot check credentials at present. Come back later.")
    }
  }

  /// The ending of a client whose credential was valid and has expired.
  fileprivate static let expired = Ending(Bye.expired, "The credential has expired: come back with a new one.")
}
