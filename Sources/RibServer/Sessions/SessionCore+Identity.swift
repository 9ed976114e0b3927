import Logging
import RibCore
import Wire

// The persons behind a session's clients.

extension SessionCore {
  /// The record of a person that a client is bound to from now on.
  func makePerson(_ identity: Identity) -> ClientProfile.Person {
    ClientProfile.Person(identity, since: markOfSignIn(identity))
  }

  private func markOfSignIn(_ identity: Identity) -> Int {
    context.revocations.markOfSignIn(identity, at: work.environment.time.wall())
  }

  /// Carries out the binding of a client that comes back or makes a request.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - binding: the binding.
  ///   - token: the token that the client has shown.
  /// - Returns: the client's new token; nil if it keeps the one that it has.
  func bind(_ client: Int, _ binding: Binding, showing token: String) -> String? {
    switch binding {
    case .anonymous: return nil
    case .renewed(let identity):
      // The client may not have received the new token: it gets another one.
      if audience[client].ledger.isFormer(token) { return signIn(client, identity) }
      renew(client, identity, showing: token, nil)
      return nil
    case .signedIn(let identity): return signIn(client, identity)
    }
  }

  /// Binds a client to its person, with a new token.
  private func signIn(_ client: Int, _ identity: Identity) -> String {
    let token = work.environment.makeToken()
    for other in audience.signIn(client, identity, token: token, at: markOfSignIn(identity)) {
      dismiss(other, .revoked, "Somebody has signed in to this session.")
    }
    tellClients()
    noteCommit()
    noteAbsence()
    log(.debug, "A client has signed in.", ["client": "\(client)"])
    noteIdentity(of: client)
    return token
  }

  /// Tells the riblets that observe it the identity of the person who has begun the session; does nothing for another client.
  func noteIdentity(of client: Int) {
    guard client == 1 else { return }
    currentIdentity?.update(to: audience[client].ledger.record.person?.identity)
  }

  /// Renews the identity of a client that is connected, or has it sign in.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - channel: the client's.
  ///   - signIn: the person whose credential the client has shown.
  /// - Returns: why the client's connection ends; nil if it goes on, and the client was told.
  func renew(_ client: Int, at channel: Channel, _ signIn: SignIn) -> Ending? {
    applyRevocations()
    switch judge(client, signIn.identity) {
    case .failure(let ending): return ending
    case .success(.signedIn(let identity)):
      let token = self.signIn(client, identity)
      channel.signIn = signIn
      tellRenewal(to: channel, signIn, token)
    case .success(let binding):
      if case .renewed(let identity) = binding { renew(client, identity, showing: nil, signIn) }
      tellRenewal(to: channel, channel.signIn ?? signIn, nil)
    }
    return nil
  }

  /// Judges a client by the credential that it has shown.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - identity: the person of the credential; nil for nobody.
  /// - Returns: the binding, or why the client is refused.
  func judge(_ client: Int, _ identity: Identity?) -> Result<Binding, Ending> {
    if let ending = refusal(of: identity) { return .failure(ending) }
    return Binding.judge(audience[client].ledger.record, identity, access)
  }

  /// Why a person may not use the app at all: the credential was issued before the person was signed out, or the app's access excludes the
  /// person.
  func refusal(of identity: Identity?) -> Ending? {
    if let identity, context.revocations.refuses(identity) { return Self.outdated }
    return access.refusal(of: identity)
  }

  static let outdated = Ending(
    .unauthenticated,
    "This person was signed out after the credential was issued, or within the second that its issuer names: show a newer "
      + "one.")

  /// Keeps the newest identity of a client's person, for the client's channel as well: one credential may overtake another.
  private func renew(_ client: Int, _ identity: Identity, showing token: String?, _ signIn: SignIn?) {
    if audience.renew(client, identity, showing: token) { noteCommit() }
    noteIdentity(of: client)
    if let signIn { takeOver(signIn, of: client) }
  }

  /// Gives a client's channel a newer sign-in, which has a later end as a rule; one of an older credential is ignored.
  func takeOver(_ signIn: SignIn, of client: Int) {
    guard let channel = audience[client].channel else { return }
    if let old = channel.signIn, signIn.identity.isOlder(than: old.identity) { return }
    if let old = channel.signIn { signIn.goOn(from: old) }
    channel.signIn = signIn
  }

  private func tellRenewal(to channel: Channel, _ signIn: SignIn, _ token: String?) {
    work.json.removeAll()
    work.json.auth(expires: signIn.millisecondsLeft(at: work.now), token: token)
    // A new token opens nothing before it is committed: the message waits for the commit, as other messages do.
    send(to: channel, isPlain: true)
  }

  /// Checks that a client may make a request, and renews its identity with the request's credential.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - token: the token that the request has shown.
  ///   - signIn: the person whose credential the request has shown; nil for nobody.
  /// - Returns: why the request is refused; nil if it is not.
  func takeRequest(of client: Int, showing token: String, _ signIn: SignIn?) -> Ending? {
    switch judge(client, signIn?.identity) {
    case .failure(let ending): return ending
    // The answer to a request cannot carry a new token: so the client is not bound to the person, and stays anonymous.
    case .success(.anonymous), .success(.signedIn): return nil
    case .success(.renewed(let identity)):
      renew(client, identity, showing: token, signIn)
      return nil
    }
  }

  // MARK: Revocation

  /// Revokes the clients whose persons were signed out after they were bound, and ends their channels.
  func applyRevocations() {
    guard !context.revocations.isEmpty, life.isInMemory else { return }
    let revoked = audience.revoke { context.revocations.covers($0) }
    guard !revoked.isEmpty else { return }
    noteCommit()
    for client in revoked { dismiss(client, Binding.revoked.bye, Binding.revoked.message) }
    tellClients()
    noteAbsence()
  }

  /// Begins the time that the session waits for a client, if none is connected.
  func noteAbsence() {
    guard life.isInMemory, audience.isAway, life.aloneSince == nil else { return }
    life.aloneSince = work.now
    checkTime()
  }
}
