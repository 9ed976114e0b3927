import WireHTTP

// What the client's budget, and that of its place and person, have the connection wait for.

extension Connection {
  /// Counts an action; a client that has used them up is not read from for a while.
  ///
  /// Nothing is refused or lost. On a connection that is shared, the next client is somebody else.
  func noteAction() { if !isShared { slowDown(channel.budget.noteAction(at: loop.now)) } }

  /// Counts frames or messages, and bytes of them.
  func noteMessages(_ count: Int, bytes: Int) {
    // Echoed bytes are slowed down by the peer that sends them, and by the write queue.
    if case .echo = state { return }
    slowDown(channel.budget.noteMessages(count, bytes: bytes, at: loop.now))
  }

  private func slowDown(_ nanoseconds: UInt64) {
    let wait = channel.budget.areDuesDue ? max(nanoseconds, payDues()) : nanoseconds
    if wait > 0 { pause(wait) }
  }

  /// Does something for the channel's client, and charges the time that it takes.
  ///
  /// A short time is charged with the client's next message. A long time is charged at once, as there may be no next message.
  ///
  /// - Parameter body: what is done.
  func charging(_ body: () -> Void) {
    let budget = channel.budget
    let (start, counted) = (loop.time(), budget.timeCounted)
    body()
    let nanoseconds = loop.time() - start
    budget.noteTime(nanoseconds, counted: counted)
    if nanoseconds > Self.shortTime { slowDown(budget.waitForTime(at: loop.now)) }
  }

  /// Nanoseconds that need not be charged at once.
  private static let shortTime: UInt64 = 1_000_000

  /// Charges the time that a request has taken to its client's place.
  ///
  /// - Parameters:
  ///   - start: when that began.
  ///   - exchange: the connection's.
  func chargeTime(since start: UInt64, of exchange: HTTPExchange) {
    // Before its head is whole nobody knows for whom a proxy sends a request.
    guard exchange.visit != nil || !rules.gate.proxies.trusts(caller) else { return }
    let nanoseconds = loop.time() - start
    // The price of a request covers a shorter time.
    guard nanoseconds > Self.shortTime / 10 else { return }
    let place = (exchange.visit?.caller ?? caller).place
    pause(context.charge(rules.clients.due(ofTime: nanoseconds), to: place, nil, at: loop.now))
  }

  /// Charges what the client has used to its place and its person.
  ///
  /// A request is charged by itself: the next one on its connection may be somebody else's.
  ///
  /// - Returns: nanoseconds to wait.
  @discardableResult func payDues() -> UInt64 {
    if case .http = state { return 0 }
    _ = channel.budget.waitForTime(at: loop.now)
    let dues = channel.budget.takeDues()
    return context.charge(dues, to: caller.place, channel.signIn?.identity, at: loop.now)
  }

  /// Whether requests of several clients come over the connection, as a proxy's: it is always read.
  var isShared: Bool {
    guard case .http(let exchange) = state, let visit = exchange.visit else { return false }
    return visit.caller != exchange.peer ?? caller
  }

  /// Charges a request to its client's place, before anything is done for it.
  ///
  /// - Parameters:
  ///   - exchange: the connection's.
  ///   - endpoint: what is asked for; nil for the methods of a path.
  /// - Throws: ``HTTPError`` with 429 if the place has used up its budget, for what is a session's and does not end it.
  func chargeRequest(_ exchange: HTTPExchange, to endpoint: Endpoint?) throws(HTTPError) {
    guard let place = (exchange.visit?.caller ?? caller).place else { return }
    if let endpoint, endpoint.isOfSessions, !endpoint.isEnd {
      let wait = context.wait(of: place, nil, at: loop.now)
      guard wait == 0 else { throw .tooFast(wait) }
    }
    // Checking a credential is as much work as an action.
    let isChecked = context.authentications != nil && endpoint?.isOfSessions == true
    let dues = isChecked ? rules.clients.dueOfAction : rules.clients.dueOfMessage
    pause(context.charge(dues, to: place, nil, at: loop.now))
  }

  private func pause(_ nanoseconds: UInt64) {
    guard nanoseconds > 0, !isShared, pace.pause(for: nanoseconds, at: loop.now) else { return }
    loop.schedulePause(of: id, nanoseconds: pace.end - loop.now)
  }

  /// Reads on, unless the pause has become longer since it began.
  func endPause() {
    guard loop.now >= pace.end else { return loop.schedulePause(of: id, nanoseconds: pace.end - loop.now) }
    pace.goOn()
    // What it said meanwhile was not read.
    noteLife()
    goOn()
  }
}

extension HTTPError {
  /// The answer to a client that has used up its budget, or whose place has.
  ///
  /// - Parameter wait: nanoseconds until it may ask again.
  /// - Returns: the error, with the time to ask again.
  static func tooFast(_ wait: UInt64) -> HTTPError {
    let seconds = (wait + 999_999_999) / 1_000_000_000
    return HTTPError(
      status: .tooManyRequests,
      reason: """
        This client, its person or its address has asked for more than it may. Nothing was done: ask again in \(seconds) s.
        """,
      headers: ["Retry-After": "\(seconds)"])
  }
}
