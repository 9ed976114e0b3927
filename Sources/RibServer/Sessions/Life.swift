/// Where a session is between its start and its end.
///
/// | state      | ``begin()`` | ``touch()`` | ``beginRest()`` | ``beginStop()`` | ``end(_:)`` | ``leave()`` |
/// |------------|-------------|-------------|-----------------|-----------------|-------------|-------------|
/// | `new`      | `awake`     |             |                 |                 |             | `left`      |
/// | `awake`    |             | `awake`     | `resting`       | `stopping`      | `ended`     | `left`      |
/// | `resting`  |             | `awake`     |                 | `stopping`      | `ended`     | `left`      |
/// | `stopping` |             | `stopping`  |                 |                 | `ended`     | `left`      |
/// | `ended`    |             |             |                 |                 |             |             |
/// | `left`     |             |             |                 |                 |             |             |
///
/// The first three that follow `new` are in memory. A session that rests or stops leaves once the store has all of it; one
/// that has ended leaves at once, and the store forgets it. ``leave()`` is also what ends a session that another process
/// has taken over, or that cannot be written.
struct Life {
  private enum State {
    /// Its tree is neither started nor restored.
    case new
    /// It lives.
    case awake
    /// It leaves memory once the store has it, unless something happens before.
    case resting
    /// It leaves memory once the store has it, whatever happens: the server stops.
    case stopping
    /// It is over, for this reason: the store forgets it.
    case ended(EndedSession.Reason)
    /// It has left memory, and goes on from the store one day, or elsewhere.
    case left
  }

  private var state = State.new
  /// Whether the last look was far too late.
  private var wasHeldUp = false
  /// Since when there is no client, as the loop's time; nil if there is one.
  var aloneSince: UInt64?
  /// When something happened last, as the loop's time.
  private(set) var lastChange: UInt64 = 0
  /// When it is looked whether the session is to end or to rest, as the loop's time.
  private var nextLook = UInt64.max
  /// What a look may come late before the loop counts as held up, in nanoseconds: the loop's timer is exact to a second.
  private static let tolerance: UInt64 = 5_000_000_000
  /// How many seconds clients have to come back after the loop was held up, and the longest time to a look: the loop forgets no
  /// look before its time.
  static let longestWait = 60

  /// Whether events of clients and effects arrive.
  var isInMemory: Bool {
    switch state {
    case .awake, .resting, .stopping: true
    case .new, .ended, .left: false
    }
  }

  /// Whether nothing but an event is awaited.
  var isAwake: Bool { if case .awake = state { true } else { false } }
  /// Whether it leaves memory unless something happens.
  var isResting: Bool { if case .resting = state { true } else { false } }
  /// Whether it leaves memory because the server stops.
  var isStopping: Bool { if case .stopping = state { true } else { false } }
  /// Why the store is to forget it; nil if the store is not.
  var endReason: EndedSession.Reason? { if case .ended(let reason) = state { reason } else { nil } }
  /// Whether the store is to forget it.
  var hasEnded: Bool { endReason != nil }

  /// Takes note that the tree is there.
  mutating func begin() {
    if case .new = state { state = .awake }
  }

  /// Takes note that something has happened.
  ///
  /// - Parameter now: the loop's time.
  /// - Returns: whether the session was about to rest, and is not any more.
  mutating func touch(at now: UInt64) -> Bool {
    lastChange = now
    return callOffRest()
  }

  /// Stays in memory.
  ///
  /// - Returns: whether the session was about to rest.
  mutating func callOffRest() -> Bool {
    guard case .resting = state else { return false }
    state = .awake
    return true
  }

  /// Is to leave memory, unless something happens before.
  mutating func beginRest() {
    if case .awake = state { state = .resting }
  }

  /// Is to leave memory, whatever happens.
  ///
  /// - Returns: whether the session was about to rest.
  mutating func beginStop() -> Bool {
    defer { state = .stopping }
    return isResting
  }

  /// Is over.
  ///
  /// - Parameter reason: why.
  /// - Returns: whether the session was about to rest.
  mutating func end(_ reason: EndedSession.Reason) -> Bool {
    defer { state = .ended(reason) }
    return isResting
  }

  /// Has left memory.
  ///
  /// - Returns: whether the session was about to rest.
  mutating func leave() -> Bool {
    defer { state = .left }
    return isResting
  }

  // MARK: Time

  /// How many seconds it has been without a client; 0 if there is one.
  func secondsAlone(at now: UInt64) -> Int { aloneSince.map { Self.seconds(since: $0, at: now) } ?? 0 }

  /// How many seconds nothing has happened for.
  func secondsIdle(at now: UInt64) -> Int { Self.seconds(since: lastChange, at: now) }

  private static func seconds(since start: UInt64, at now: UInt64) -> Int {
    Int((now - min(now, start)) / 1_000_000_000)
  }

  /// Plans a look, unless an earlier one is planned: one at a time, however often clients come and go.
  ///
  /// - Parameters:
  ///   - next: in how many seconds; at most ``longestWait`` is waited.
  ///   - now: the loop's time.
  /// - Returns: in how many seconds the loop is to call; nil if it does sooner.
  mutating func planLook(after next: Int, at now: UInt64) -> Int? {
    let seconds = min(next, Self.longestWait)
    let time = now + UInt64(seconds) * 1_000_000_000
    guard time < nextLook else { return nil }
    nextLook = time
    return seconds
  }

  /// Why the loop has called a session.
  enum Call {
    /// A look that was planned before an earlier one: nothing is to be done.
    case obsolete
    /// The planned look.
    case look
    /// The planned look, far too late: the loop was held up, or its process was. Clients that could not come meanwhile have
    /// ``longestWait`` before anything is decided; not twice in a row, so that who is held up again and again decides, too.
    case lateLook
  }

  /// Takes note that the loop has called.
  ///
  /// If the look comes far too late, the delay does not count as the clients' absence.
  ///
  /// - Parameter now: the loop's time.
  /// - Returns: what is to be done.
  mutating func didCall(at now: UInt64) -> Call {
    guard now >= nextLook || nextLook - now < 1_000_000_000 else { return .obsolete }
    let late = now - min(nextLook, now)
    nextLook = .max
    guard late > Self.tolerance else {
      wasHeldUp = false
      return .look
    }
    if let since = aloneSince { aloneSince = min(since + late, now) }
    defer { wasHeldUp.toggle() }
    return wasHeldUp ? .look : .lateLook
  }
}
