/// The person behind a client, and what must not become of the client's requests because of it.
///
/// | its client                                               | gets, for what it sends from then on                                    |
/// |----------------------------------------------------------|-------------------------------------------------------------------------|
/// | has an identity that is over                             | no answer on this connection: it shows a new credential on the next one |
/// | is of a person who was signed out                        | no answer, and no welcome                                               |
/// | is nobody's, in a session that such a person has begun   | the same                                                                |
/// | was there before the one that has begun the session signed in | the same                                                           |
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class Holder: @unchecked Sendable {
  /// Why a client may have no answer any more.
  private struct Retirement {
    /// When, in nanoseconds.
    let time: UInt64
    /// The number of the process that has seen to it, and of the newest one then.
    let process: Int, newest: Int
    /// Whether its person was signed out: other processes hear of that later.
    let isOfPerson: Bool
  }

  /// Who it is, if it says so; nil for nobody.
  let person: Int?
  /// Whether it says so.
  private(set) var shows: Bool
  /// Whether it shows a new credential before its identity is over.
  let renews: Bool
  /// Whether it was told, so that it survives a power cut, that it is that person's.
  private(set) var isBound = false
  /// When its identity is over on the connection that it has, in nanoseconds; nil for never, or if it is not known.
  private var end: UInt64?
  /// Whether somebody may have seen to it that it has to leave.
  private(set) var mayBeRevoked = false
  private var retirement: Retirement?
  /// The actions that its client has sent when nothing was to be done for it any more, by name.
  private var late: Set<Int> = []

  /// Of a client that has said nothing.
  ///
  /// - Parameters:
  ///   - person: who it is, if it says so; nil for nobody.
  ///   - shows: whether it says so from the beginning on.
  ///   - renews: whether it shows a new credential in time.
  init(_ person: Int?, shows: Bool = false, renews: Bool = false) {
    (self.person, self.shows, self.renews) = (person, shows && person != nil, renews)
  }

  /// It says who it is from now on: what becomes of its identity is not known until there is an answer.
  func willShow() {
    guard person != nil else { return }
    shows = true
    end = nil
  }

  /// It was told when its identity ends.
  ///
  /// - Parameters:
  ///   - milliseconds: until then; nil for never.
  ///   - now: nanoseconds.
  ///   - grace: seconds in which it may go on beyond that.
  ///   - isDurable: whether what it is told survives.
  func wasTold(expires milliseconds: Int?, at now: UInt64, grace: Int, isDurable: Bool) {
    // By now it is less than what the server has written.
    end = milliseconds.map { now + (UInt64($0) + 1) * 1_000_000 + UInt64(grace) * 1_000_000_000 }
    if shows, isDurable { isBound = true }
  }

  /// Its connection is gone: what its identity is on the next one is not known.
  func disconnected() { end = nil }

  /// Somebody sees to it that it has to leave.
  func mayRetire() { mayBeRevoked = true }

  /// It was seen to.
  ///
  /// - Parameters:
  ///   - process: who has seen to it.
  ///   - newest: the number of the newest process.
  ///   - isOfPerson: whether its person was signed out.
  func retire(by process: SimulatedProcess, newest: Int, isOfPerson: Bool) {
    guard retirement == nil else { return }
    process.world.figures.note("clients retired")
    let now = process.world.scheduler.now
    retirement = Retirement(time: now, process: process.number, newest: newest, isOfPerson: isOfPerson)
  }

  /// Its client is about to act.
  ///
  /// - Parameters:
  ///   - name: the action's.
  ///   - now: nanoseconds.
  func willAct(_ name: Int, at now: UInt64) { if isOver(at: now) { late.insert(name) } }

  /// Its client has sent again whatever has no answer.
  func hasSentAgain() { late = [] }

  /// Whether nothing may be done for what its client sends now.
  ///
  /// - Parameter now: nanoseconds.
  /// - Returns: whether it is over.
  func isOver(at now: UInt64) -> Bool { retirement != nil || end.map { now > $0 } ?? false }

  /// Whether an action may be answered by a process.
  ///
  /// - Parameters:
  ///   - name: the action's.
  ///   - process: who has answered it.
  /// - Returns: false if it was sent when nothing was to be done for it any more.
  func mayBeAnswered(_ name: Int, by process: SimulatedProcess?) -> Bool {
    !late.contains(name) || cannotKnow(process)
  }

  /// Whether its client may be welcome at a process: one that was there before hears only after a while that a person was signed out.
  ///
  /// - Parameters:
  ///   - process: where.
  ///   - time: when it has asked, in nanoseconds.
  /// - Returns: false if it has to be refused.
  func mayBeWelcome(at process: SimulatedProcess?, since time: UInt64) -> Bool {
    guard let retirement, retirement.time < time, let process, !cannotKnow(process) else { return true }
    return retirement.isOfPerson && process.number != retirement.process && process.number <= retirement.newest
  }

  /// Whether a process cannot reach the store, so that it knows of no sign-out but its own, and what it answers does not survive.
  private func cannotKnow(_ process: SimulatedProcess?) -> Bool {
    guard let retirement, let process else { return false }
    return process.goesOnInMemory && process.number != retirement.process
  }
}
