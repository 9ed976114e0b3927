import RibCore
import Wire

// What clients may cost: see ``ClientBudget``.

extension SessionCore {
  /// The budget of a client: by the limits of now, if the client has no connection whose it is.
  func budget(of client: Int) -> ClientBudget {
    let (former, rates) = (audience[client].budget, work.rules.clients)
    if let former, audience[client].channel != nil || former.isOf(rates) { return former }
    let budget = ClientBudget(rates)
    if let former { budget.goOn(from: former, at: work.now) }
    audience[client].budget = budget
    return budget
  }

  /// Has a client's budget go on at its new channel.
  func bringBudget(of client: Int, to channel: Channel) {
    if let former = audience[client].budget, former !== channel.budget {
      channel.budget.goOn(from: former, at: work.now)
    }
    audience[client].budget = channel.budget
  }

  /// Nanoseconds that a client has to wait before it is let in again, or answered.
  func wait(of client: Int) -> UInt64 { audience[client].budget?.wait(at: work.now) ?? 0 }

  /// Counts time that the loop has spent for a client.
  ///
  /// - Parameters:
  ///   - client: whose.
  ///   - body: what is done.
  /// - Returns: what it returns.
  /// - Throws: what it throws.
  func charging<Result, Failure: Error>(
    _ client: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let budget = budget(of: client)
    let (start, counted) = (work.time(), budget.timeCounted)
    defer { budget.noteTime(work.time() - start, counted: counted) }
    return try body()
  }

  /// Charges a client's dues to its place and its person.
  ///
  /// - Parameters:
  ///   - budget: the client's.
  ///   - place: the client's; nil for the server's own machine.
  ///   - person: the client's.
  ///   - isLast: whether the client leaves. Otherwise less than a portion stays due.
  func collect(from budget: ClientBudget, _ place: Place?, _ person: Identity?, isLast: Bool = false) {
    _ = budget.wait(at: work.now)
    guard isLast || budget.areDuesDue else { return }
    work.noteDebt(context.charge(budget.takeDues(at: work.now), to: place, person, at: work.now))
  }
}
