/// What a client may cost the server: actions, other messages, the views that it asks for, and the time of its loop.
///
/// A session keeps the budget of each of its clients, so that it outlives their connections. A connection that is no client's
/// yet has one of its own, which becomes the client's.
///
/// | what | rate | at once |
/// |---|---|---|
/// | actions | `limits.actionsPerSecond` | `limits.actionBurst` |
/// | frames and messages | ten times as many | ten times as many |
/// | loop time | 100 ms a second | 100 ms |
/// | whole views on request | six a minute | six |
///
/// Bytes count as messages: the longest message that is allowed is worth four others. So a client that sends only actions,
/// however long, in two frames or compressed, is held to their number alone. What a client is sent because it has asked, a
/// `welcome` or a view, counts in the same way, and what the store writes because the client has acted.
///
/// It belongs to a loop: the connection's, then the session's. No access to what is not checked for exclusivity calls user code.
final class ClientBudget {
  /// Nanoseconds that a client waits at most for the loop time it has used: a pause beyond a heartbeat would look like a dead server,
  /// and the time on the clock may be that of a machine that stood still.
  private static let longestWait: UInt64 = 10_000_000_000

  let rates: ClientRates
  // Of each bucket only the time at which it is full again: there is a budget for each client.
  @exclusivity(unchecked) private var fullTimes: (actions: UInt64, messages: UInt64, time: UInt64, views: UInt64) = (
    0, 0, 0, 0
  )
  /// Nanoseconds of the loop's time that the client has not paid yet.
  @exclusivity(unchecked) private(set) var timeUsed: UInt64 = 0
  /// Nanoseconds of the loop's time that were counted so far.
  @exclusivity(unchecked) private(set) var timeCounted: UInt64 = 0
  /// What the client's place and person have not been charged yet.
  @exclusivity(unchecked) private var dues = Dues()
  // A budget takes 88 bytes, a size class of the heap. One more byte costs 16 bytes a client.
  /// The client's recent dues, in portions of ``Dues/portion``; the count halves every 64 s.
  @exclusivity(unchecked) private var recent: UInt8 = 0
  /// The period in which ``recent`` was updated last: see ``period(of:)``.
  @exclusivity(unchecked) private var recentPeriod: UInt16 = 0
  /// Bytes that are not counted yet, at most 4 GiB.
  @exclusivity(unchecked) private var bytes: UInt32 = 0

  /// The budget of a client that has said nothing yet.
  init(_ rates: ClientRates) { self.rates = rates }

  private var actions: TokenBucket {
    get { TokenBucket(rates.actions, full: fullTimes.actions) }
    set { fullTimes.actions = newValue.full }
  }
  private var messages: TokenBucket {
    get { TokenBucket(rates.messages, full: fullTimes.messages) }
    set { fullTimes.messages = newValue.full }
  }
  private var time: TokenBucket {
    get { TokenBucket(rates.time, full: fullTimes.time) }
    set { fullTimes.time = newValue.full }
  }
  private var views: TokenBucket {
    get { TokenBucket(rates.views, full: fullTimes.views) }
    set { fullTimes.views = newValue.full }
  }

  /// Whether the budget goes by such rates.
  func isOf(_ rates: ClientRates) -> Bool { self.rates === rates }

  /// The shorter of the times in which the actions' bucket fills: pauses that are longer lose some of it.
  var actionAllowance: UInt64 { actions.allowance }

  /// Counts an action, and the time that the client has used.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  func noteAction(at now: UInt64) -> UInt64 {
    dues.note(rates.dueOfAction)
    return max(actions.take(1, at: now), takeTime(at: now))
  }

  /// Counts frames or messages, and bytes of them.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  func noteMessages(_ count: Int, bytes more: Int, at now: UInt64) -> UInt64 {
    let all = Int(bytes) + more
    let tokens = count + all / rates.bytesPerToken
    bytes = UInt32(clamping: all % rates.bytesPerToken)
    guard tokens > 0 else { return 0 }
    dues.note(rates.dueOfMessage * UInt64(tokens))
    return max(messages.take(UInt64(tokens), at: now), takeTime(at: now))
  }

  /// Counts bytes that the client is sent as it has asked for them, or that are written as it has acted: with its next message.
  func noteAnswer(bytes more: Int) { bytes = UInt32(clamping: Int(bytes) + more) }

  /// Counts time of the loop: with the client's next message.
  @inline(__always)
  func noteTime(_ nanoseconds: UInt64) {
    timeUsed += nanoseconds
    timeCounted &+= nanoseconds
  }

  /// Counts time that is charged to the client's place by itself.
  func noteTimeCharged(_ nanoseconds: UInt64) { timeCounted &+= nanoseconds }

  /// Counts an estimate of time that other sessions will take: no part of a span whose time is measured.
  func noteTimeElsewhere(_ nanoseconds: UInt64) { timeUsed += nanoseconds }

  /// Counts time of the loop of which parts may be counted already.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long.
  ///   - before: what ``timeCounted`` was at its begin.
  @inline(__always)
  func noteTime(_ nanoseconds: UInt64, counted before: UInt64) {
    let parts = timeCounted &- before
    if nanoseconds > parts { noteTime(nanoseconds - parts) }
  }

  /// Counts a whole view that the client asks for because its own is damaged.
  ///
  /// - Returns: false if it is one too many.
  func noteResync(at now: UInt64) -> Bool {
    guard views.wait(at: now) == 0 else { return false }
    _ = views.take(1, at: now)
    return true
  }

  /// Nanoseconds that the client has to wait, with all that it has used.
  func wait(at now: UInt64) -> UInt64 {
    _ = noteMessages(0, bytes: 0, at: now)
    return max(actions.wait(at: now), messages.wait(at: now), waitForTime(at: now))
  }

  /// Nanoseconds that the client has to wait for the loop time it has used.
  func waitForTime(at now: UInt64) -> UInt64 {
    _ = takeTime(at: now)
    return time.wait(at: now)
  }

  /// The client's wait for a debt of its place or its person.
  ///
  /// A client ignores a small debt: up to 2 s if it has hardly any recent dues, and 250 ms less for each doubling of them. The debt
  /// settles at a level where the budget is shared evenly (max-min fairness): a client that uses less than its share is read
  /// at once, up to 2 s of debt.
  ///
  /// - Parameters:
  ///   - debt: the greater of the two debts, in nanoseconds.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: nanoseconds; 0 if the client can go on.
  func wait(forDebt debt: UInt64, at now: UInt64) -> UInt64 {
    debt - min(debt, UInt64(recent(at: now).leadingZeroBitCount) * 250_000_000)
  }

  /// The wait of a client without a budget for a debt of its place or its person.
  ///
  /// Such a client ignores a debt of 1 s to 2 s, by chance. A place with many light clients then still lets new clients in. A flood of
  /// requests does not starve the light clients of its place.
  ///
  /// - Parameters:
  ///   - debt: the greater of the two debts, in nanoseconds.
  ///   - now: nanoseconds of a monotonic clock. They are hashed (Fibonacci hashing), and serve as the random number.
  /// - Returns: nanoseconds; 0 if the client can go on.
  static func waitWithoutBudget(forDebt debt: UInt64, at now: UInt64) -> UInt64 {
    let chance = (now &* 0x9E37_79B9_7F4A_7C15) >> 32
    return debt - min(debt, 1_000_000_000 + ((chance * 1_000_000_000) >> 32))
  }

  /// Whether the client's recent dues exceed 120 ms: then it ignores a debt of 1 s at most.
  func hasUsedMuch(at now: UInt64) -> Bool { recent(at: now) >= 8 }

  private func recent(at now: UInt64) -> UInt8 {
    let periods = Self.period(of: now) &- recentPeriod
    return periods < UInt8.bitWidth ? recent >> UInt8(periods) : 0
  }

  private func noteRecent(_ portions: UInt64, at now: UInt64) {
    recent = UInt8(clamping: UInt64(recent(at: now)) + portions)
    recentPeriod = Self.period(of: now)
  }

  /// The number of the 64 seconds that a time is in.
  private static func period(of now: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: now / 64_000_000_000) }

  private func takeTime(at now: UInt64) -> UInt64 {
    guard timeUsed > 0 else { return 0 }
    defer { timeUsed = 0 }
    dues.note(rates.due(ofTime: timeUsed))
    return time.take(timeUsed, at: now, longest: Self.longestWait)
  }

  /// Goes on from where the client was on its last connection.
  func goOn(from former: ClientBudget, at now: UInt64) {
    actions.take(over: former.actions, at: now)
    messages.take(over: former.messages, at: now)
    time.take(over: former.time, at: now)
    views.take(over: former.views, at: now)
    noteAnswer(bytes: Int(former.bytes))
    timeUsed += former.timeUsed
    dues.note(former.dues.take())
    noteRecent(UInt64(former.recent(at: now)), at: now)
  }

  /// Whether the client's place and person are to be charged.
  var areDuesDue: Bool { dues.areDue }

  /// Forgets what was charged otherwise.
  func forgetDues() { dues.forget() }

  /// Takes what the client's place and person are to be charged.
  func takeDues(at now: UInt64) -> UInt64 {
    let sum = dues.take()
    noteRecent((sum + Dues.portion / 2) / Dues.portion, at: now)
    return sum
  }
}
