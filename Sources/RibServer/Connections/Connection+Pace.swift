import RibCore
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
  /// A short time is charged with the client's next message, a millisecond at once: there may be no next message.
  ///
  /// - Parameters:
  ///   - start: when it began, if that was before now.
  ///   - body: what is done.
  @inline(__always)
  func charging(since start: UInt64? = nil, _ body: () -> Void) {
    let budget = channel.budget
    let (start, counted) = (start ?? loop.time(), budget.timeCounted)
    body()
    // A request that has not become a stream of events is charged by itself.
    if case .http = state { return }
    let nanoseconds = loop.time() - start + Self.timeOfReading
    budget.noteTime(nanoseconds, counted: counted)
    if budget.timeUsed > Self.shortTime { slowDown(budget.waitForTime(at: loop.now)) }
  }

  /// Nanoseconds that need not be charged at once.
  private static let shortTime: UInt64 = 1_000_000
  /// Nanoseconds that it takes to learn that a connection can be read, and to read it, as an estimate: two system calls.
  private static let timeOfReading: UInt64 = 5_000

  /// Does something for the client of a request, and charges the time that it takes to the client's place.
  ///
  /// - Parameters:
  ///   - exchange: the connection's.
  ///   - body: what is done.
  func charging(_ exchange: HTTPExchange, _ body: () -> Void) {
    let (start, counted) = (loop.time(), channel.budget.timeCounted)
    body()
    let nanoseconds = loop.time() - start
    let parts = channel.budget.timeCounted &- counted
    guard nanoseconds > parts else { return }
    charge(nanoseconds - parts + Self.timeOfReading, of: exchange)
  }

  /// Charges time that a request has taken to its client's place.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long, beside what is charged already.
  ///   - exchange: the connection's.
  func charge(_ nanoseconds: UInt64, of exchange: HTTPExchange) {
    channel.budget.noteTimeCharged(nanoseconds)
    exchange.timeUsed += nanoseconds
    // Before its head is whole nobody knows for whom a proxy sends a request.
    guard exchange.visit != nil || !rules.gate.proxies.trusts(caller) else { return }
    // The price of a request covers a shorter time.
    guard exchange.timeUsed > Self.shortTime / 10 else { return }
    let dues = rules.clients.due(ofTime: exchange.timeUsed)
    exchange.timeUsed = 0
    let debt = collect(dues, from: (exchange.visit?.caller ?? caller).place)
    // A WebSocket's client pays for itself: the request that opened it does not pause it.
    if case .http = state { pause(ClientBudget.waitWithoutBudget(forDebt: debt, at: loop.now)) }
  }

  /// Charges what the client has used to its place and its person.
  ///
  /// A request is charged by itself: the next one on its connection may be somebody else's.
  ///
  /// - Returns: nanoseconds to wait.
  @discardableResult func payDues() -> UInt64 {
    if case .http = state {
      channel.budget.forgetDues()
      return 0
    }
    _ = channel.budget.waitForTime(at: loop.now)
    let dues = channel.budget.takeDues(at: loop.now)
    let debt = collect(dues, from: caller.place, channel.signIn?.identity)
    return channel.budget.wait(forDebt: debt, at: loop.now)
  }

  private func collect(_ dues: UInt64, from place: Place?, _ person: Identity? = nil) -> UInt64 {
    let debt = context.charge(dues, to: place, person, at: loop.now)
    loop.work.noteDebt(debt)
    return debt
  }

  /// The greater debt of a place and a person; the loop remembers when it ends.
  ///
  /// - Returns: nanoseconds.
  func debt(of place: Place?, _ person: Identity? = nil) -> UInt64 {
    let debt = context.debt(of: place, person, at: loop.now)
    loop.work.noteDebt(debt)
    return debt
  }

  /// Pauses the client if its place or its person owes more than the client ignores.
  ///
  /// - Returns: whether the client is paused.
  @inline(__always)
  func holdByDebt() -> Bool { loop.now < loop.work.debtEnd && !pace.isPaused && holdByDebtOfNow() }

  private func holdByDebtOfNow() -> Bool {
    // A request is refused, and a `hello` waits in `letIn`.
    guard case .channel = state, channel.isJoined else { return false }
    pause(channel.budget.wait(forDebt: debt(of: caller.place, channel.signIn?.identity), at: loop.now))
    return pace.isPaused
  }

  /// Whether the connection yields its turn, because the loop is late or jobs of the connection's place wait.
  ///
  /// In a late batch a heavy client yields. A place has one turn in such a batch: its other clients yield.
  func shouldYield(at time: UInt64) -> Bool {
    let isLate = time - loop.now >= EventLoop.longestTurn
    guard isLate || loop.loopTurns.hasBacklog(of: caller.place) else { return false }
    return isLate && channel.budget.hasUsedMuch(at: time) || !loop.takeTurn(of: caller.place)
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
  /// - Throws: ``HTTPError`` with 429 if the place has used up its budget, for what is a session's, and for all that a proxy passes on but
  ///   probes and WebSockets, which wait; for the end of a session only if the place owes much.
  func chargeRequest(_ exchange: HTTPExchange, to endpoint: Endpoint?) throws(HTTPError) {
    guard let place = (exchange.visit?.caller ?? caller).place else { return }
    if let endpoint, endpoint.isOfSessions || isShared && !endpoint.isProbe && endpoint != .socket {
      let debt = debt(of: place)
      let wait =
        endpoint.isEnd
        ? debt - min(debt, Self.debtOfEnds) : ClientBudget.waitWithoutBudget(forDebt: debt, at: loop.now)
      guard wait == 0 else {
        if !isShared { exchange.refusalDelay = Self.refusalDelay }
        throw .tooFast(wait)
      }
    }
    // Checking a credential is as much work as an action.
    let isChecked = context.authentications != nil && endpoint?.isOfSessions == true
    let dues = isChecked ? rules.clients.dueOfAction : rules.clients.dueOfMessage
    pause(ClientBudget.waitWithoutBudget(forDebt: collect(dues, from: place), at: loop.now))
  }

  /// The delay of a 429 on a client's own connection: a client that ignores `Retry-After` then costs little.
  private static let refusalDelay = Duration.milliseconds(250)
  /// The debt up to which the clients of a place can end sessions, in nanoseconds.
  private static let debtOfEnds: UInt64 = 2_000_000_000

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
    // The place may owe more by now, also because of clients on other loops.
    if !holdByDebtOfNow() { goOn() }
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
        This client, its person or its address has asked for more than it may. Nothing was done this time: send the same request again in \(seconds) s.
        """,
      headers: ["Retry-After": "\(seconds)"])
  }
}
