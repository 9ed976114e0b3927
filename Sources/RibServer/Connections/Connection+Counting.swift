import Wire
import WireHTTP

// The limits that the connection counts towards: those of its client's place, and of the person behind the client.

extension Connection {
  /// Makes the connection that of a client, and counts it to the client's place unless it is counted already.
  ///
  /// - Parameters:
  ///   - client: the client.
  ///   - exchange: the exchange of the only request for which the connection is the client's; nil if it is until its end.
  /// - Throws: ``HTTPError`` with 503 if that place has too many.
  func count(to client: Caller, during exchange: HTTPExchange? = nil) throws(HTTPError) {
    guard counting == .no, let place = client.place else { return }
    guard context.connections.enter(place, at: loop.now) else {
      loop.work.stats.note(.overAddressLimit)
      rules.gate.noteFullPlace(of: client)
      throw HTTPError(
        status: .serviceUnavailable, reason: "There are too many connections from this address.",
        headers: ["Retry-After": "5"])
    }
    counting = exchange == nil ? .forGood : .forARequest
    exchange?.peer = caller
    caller = client
  }

  /// Makes the connection the proxy's again, once a request for events was answered without a stream of events.
  func countNoMore(_ exchange: HTTPExchange) {
    guard counting == .forARequest, let place = caller.place else { return }
    context.connections.leave(place)
    counting = .no
    if let peer = exchange.peer { caller = peer }
  }

  /// Makes the connection that of a person, and counts it to the person until it ends.
  ///
  /// - Returns: the ending if the person has too many connections; nil otherwise.
  func count(_ signIn: SignIn?) -> Ending? {
    if let signIn {
      guard context.connectionsOfPersons.enter(signIn.identity) else { return Self.tooMany }
      isCountedToPerson = true
    }
    channel.signIn = signIn
    return nil
  }

  /// Hands the channel a renewal of its person's identity, or has a person sign in to its client.
  ///
  /// A connection that had no person counts to the person from then on.
  ///
  /// - Parameter signIn: the person whose credential the client has shown.
  func goOn(as signIn: SignIn) {
    guard channel.signIn == nil else { return channel.renew(signIn) }
    guard context.connectionsOfPersons.enter(signIn.identity) else {
      return channel.say(Self.tooMany.bye, Self.tooMany.message)
    }
    channel.renew(signIn)
    isCountedToPerson = channel.signIn != nil && !isClosed
    if !isCountedToPerson { context.connectionsOfPersons.leave(signIn.identity) }
  }

  func isConcerned(by person: PersonID) { loop.note(id, of: person) }

  private static let tooMany = Ending(.quota, "This person has as many connections as it may have.", retryAfter: 5)

  /// Counts the connection to its person no longer.
  func countNoMorePerson() {
    // A renewal never changes the person, so this is the one that the connection was counted to.
    if isCountedToPerson, let signIn = channel.signIn { context.connectionsOfPersons.leave(signIn.identity) }
    isCountedToPerson = false
  }

  /// Takes note that what comes next on the connection may be another person's.
  func forgetPerson() {
    guard channel.signIn != nil else { return }
    channel.signIn = nil
    loop.forgetPersons(of: id)
  }
}
