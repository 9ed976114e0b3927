import Logging
import RibCore
import Wire

/// Where a ``SessionFinder`` gets sessions that are not in memory: a loop, and the store behind it.
protocol SessionSource {
  /// Whatever runs a session.
  associatedtype Member: AnyObject & Sendable

  /// Whether sessions are not to come into memory any more.
  var isStopping: Bool { get }

  /// Whether others may have taken the sessions that are in memory here.
  var isSuspended: Bool { get }

  /// Seconds since 1970.
  var wallClock: Int { get }

  /// Asks the store for a session, which makes it this server's.
  ///
  /// - Parameters:
  ///   - request: to load it, or to let a client come back to it while it rests.
  ///   - completion: called on the loop, later.
  func ask(_ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void)

  /// Asks the process that holds a session whether it needs it.
  ///
  /// - Parameters:
  ///   - holder: the process, as the store knows it.
  ///   - id: the session's name.
  ///   - claim: what the client has shown that wants it here, and what opens it.
  ///   - completion: called on the loop, later: with where it is to go on.
  func ask(
    _ holder: Int, about id: String, _ claim: SessionClaim, _ completion: @escaping @Sendable (Placement) -> Void)

  /// The process to which clients go that the program of this one cannot serve; nil if there is none of another program.
  var nodeOfAnotherProgram: Int? { get }

  /// Takes note that a session has come here from another process that was there.
  ///
  /// - Parameter id: its name.
  func noteMove(of id: String)

  /// Brings a session into memory.
  ///
  /// - Parameter stored: what the store has of it.
  /// - Returns: the session, or why it cannot go on; it is the source's to tell the store that nobody has it then.
  func restore(_ stored: StoredSession) -> Result<Member, Ending>

  /// Judges a session that a client has come back to, and that rests on.
  ///
  /// - Parameter resting: what the store has said of it.
  /// - Returns: why it cannot go on; it is the source's to tell the store that nobody has it then. Nil if it can.
  func refusal(of resting: RestingSession) -> Ending?

  /// The program that runs, as it tells itself from others.
  var program: String { get }

  /// Has the store note that no client waits here for a session, which is not in memory.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - lease: the newest that is known of it.
  func noteAbsence(ofSession id: String, _ lease: SessionLease)

  /// Runs something on the loop.
  ///
  /// - Parameter body: what.
  func execute(_ body: @escaping @Sendable () -> Void)

  /// Nanoseconds of a clock that never jumps.
  var now: UInt64 { get }

  /// Runs something on the loop after half a second or so.
  ///
  /// - Parameter body: what.
  func executeSoon(_ body: @escaping @Sendable () -> Void)
}

/// Finds sessions for all who look for one, whether they come by WebSocket, by a request or for a stream of events.
///
/// | a session                     | is found                                                                    |
/// |-------------------------------|-----------------------------------------------------------------------------|
/// | is in memory, on any loop     | at once                                                                     |
/// | is being asked for            | when the store has answered who asked first, and then those that wait       |
/// | rests, and the client has seen all of it | not: the client sleeps at once, and the session stays where it is |
/// | is held by another process    | when that was asked, and has let go of it if it could; otherwise it is elsewhere, and its client is passed on |
/// | is in the store otherwise     | once it is loaded by the loop of who asked first, if the token opens it     |
/// | is one that another version of the program has written, or of an app of another version | elsewhere, if such a process is there |
/// | is nowhere, cannot be read    | not: with the reason                                                        |
///
/// Where this node is suspended, clients that come in are turned away: they are to go to another node, or to wait. Requests of those that are in
/// are answered, once the store has shown whose the session is.
///
/// Who has found a session goes to its loop and asks to be let in, ``SessionCore/admit(_:at:)``; if the session has left
/// memory on the way, it is looked for again.
struct SessionFinder<Source: SessionSource & Sendable>: Sendable {
  let registry: SessionRegistry<Source.Member>
  let source: Source

  /// Looks for the session of a client that wants to come in; to be called on the source's loop.
  ///
  /// - Parameters:
  ///   - entrance: how it comes.
  ///   - identity: the person whose credential the client has shown; nil for nobody.
  ///   - isAwaited: whether the client still is there, and waits; asked on that loop.
  ///   - completion: called on that loop later, with the session or with why there is none.
  /// - Returns: the session if it is in memory; then nothing is called.
  func find(
    _ entrance: Entrance, as identity: Identity?, isAwaited: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<SessionRegistry<Source.Member>.Found, Ending>) -> Void
  ) -> Source.Member? {
    guard !source.isSuspended else {
      if case .wake(let sleeper) = entrance { registry.searchEnded(sleeper.sessionID) }
      source.execute {
        if case .wake(let sleeper) = entrance { leave(sleeper) }
        completion(.failure(.suspended))
      }
      return nil
    }
    return find(entrance.sessionID, entrance.claim, resuming: entrance.resume(in: source.program, as: identity)) {
      result in
      switch (result, entrance) {
      case (.failure, .wake(let sleeper)): leave(sleeper)
      // So do all others who have slept here.
      case (.success(.elsewhere), .wake(let sleeper)): registry.letGo(of: sleeper.sessionID)
      // Its connection may have been cut on the way.
      case (.success(.resting(_, let sleeper)), _): if !isAwaited() { leave(sleeper) }
      default: break
      }
      completion(result)
    }
  }

  /// A client does not sleep any more, and is not let in either: it is gone.
  ///
  /// - Parameter sleeper: the client.
  func leave(_ sleeper: Sleeper) {
    if registry.remove(sleeper) { source.noteAbsence(ofSession: sleeper.sessionID, sleeper.lease) }
  }

  /// A client that was to wake its session is elsewhere by now.
  ///
  /// - Parameters:
  ///   - sleeper: the client.
  ///   - isGone: whether it is not connected any more.
  func letSleep(_ sleeper: Sleeper, isGone: Bool) {
    let isLast = registry.remove(sleeper)
    registry.didNotWake(sleeper.sessionID)
    if isLast, isGone { source.noteAbsence(ofSession: sleeper.sessionID, sleeper.lease) }
  }

  /// Looks for a session; to be called on the source's loop.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - claim: what the client shows for it.
  ///   - resume: what the client comes back with; nil if it needs the session in memory.
  ///   - completion: called on that loop later, with the session or with why there is none.
  /// - Returns: the session if it is in memory; then nothing is called.
  func find(
    _ id: String, _ claim: SessionClaim, resuming resume: SessionResume? = nil,
    _ completion: @escaping @Sendable (Result<SessionRegistry<Source.Member>.Found, Ending>) -> Void
  ) -> Source.Member? {
    let search = registry.find(id, claim, resuming: resume) { result in source.execute { completion(result) } }
    switch search {
    case .found(let member): return member
    case .waits: break
    case .mustAsk(let request): begin(request, for: id)
    }
    return nil
  }

  /// How far a search is.
  private struct Search {
    /// The session's name.
    let id: String
    /// Until when whoever holds the session is asked for it, by the source's clock.
    let end: UInt64
    /// The process that was asked last.
    var holder: Int?
    /// How often processes could not be asked.
    var failures = 0
  }

  /// How long a search goes on for a session that is held by a process which cannot be asked, in nanoseconds: for longer than it takes for a death
  /// to be noticed, and for less than a client waits for its welcome.
  private static var patience: UInt64 { 12_000_000_000 }
  /// After how many questions that could not be asked the store is read again: two seconds or so.
  private static var failuresBetweenReads: Int { 4 }

  private func begin(_ request: StoreRequest?, for id: String) {
    if let request { ask(request, Search(id: id, end: source.now + Self.patience)) }
  }

  private func ask(_ request: StoreRequest, _ search: Search, isMove: Bool = false) {
    source.ask(request) { result in didAnswer(result, search, isMove: isMove) }
  }

  private func didAnswer(_ result: Result<StoreResult, StoreError>, _ search: Search, isMove: Bool) {
    let id = search.id
    // Nobody would have it leave memory again.
    guard !source.isStopping else { return finish(id, .shutdown, "The server is going down.") }
    switch result {
    case .success(.loaded(let stored)):
      let restored = source.restore(stored)
      if let node = nodeOfAnotherProgram(after: restored) { return registry.finish(id, .success(.elsewhere(node))) }
      if isMove { source.noteMove(of: id) }
      registry.finish(id, restored.map { .awake($0) })
    case .success(.resting(let session)): begin(registry.answerFirst(id, rest(session)), for: id)
    // The token is the client's.
    case .success(.mustLoad): ask(.load(sessionID: id, from: .nobody), search)
    case .success(.held(let holder)):
      // A holder that was just asked is not asked at once again.
      if search.holder == holder { askAgain(search) } else { askHolder(holder, search) }
    case .success(.stale):
      let ending = Ending(.stale, "The attempt is not above the last one.")
      begin(registry.answerFirst(id, .failure(ending)), for: id)
    case .success(.denied(let state)):
      let ending = Ending(.denied, "The token opens nothing in this session.")
      begin(registry.deny(id, by: state, at: source.wallClock, ending), for: id)
    case .success(.refused): finish(id, .failed, "What is kept of the session is damaged.")
    // After a death too many sessions may be wanted at once.
    case .failure where search.holder != nil && source.now < search.end: askAgain(search)
    case .failure: finish(id, .unavailable, "The session store cannot be read. Come back later.")
    case .success: finish(id, .gone, "There is no such session, or none any more. Say hello without resume.")
    }
  }

  /// The process to try whose program may be the right one.
  private func nodeOfAnotherProgram(after restored: Result<Source.Member, Ending>) -> Int? {
    if case .failure(let ending) = restored, ending.needsAnotherProgram { source.nodeOfAnotherProgram } else { nil }
  }

  /// Asks the process that holds a session whether it needs it.
  ///
  /// Whoever searches waits for one that cannot be asked until it is dead: a client that is sent away comes back later each time.
  ///
  /// - Parameters:
  ///   - holder: the process.
  ///   - search: for its session.
  private func askHolder(_ holder: Int, _ search: Search) {
    let id = search.id
    let claim = registry.firstClaim(of: id)
    var search = search
    search.holder = holder
    guard !claim.isForced else { return ask(.load(sessionID: id, from: .anybody), search, isMove: true) }
    source.ask(holder, about: id, claim) { [search] placement in
      guard !source.isStopping else { return finish(id, .shutdown, "The server is going down.") }
      switch placement {
      case .here(let takeover): ask(.load(sessionID: id, from: takeover), search, isMove: true)
      case .there: registry.finish(id, .success(.elsewhere(holder)))
      case .unknown:
        var search = search
        search.failures += 1
        // It may have let go of it as the link ended, or others have taken it.
        if search.failures % Self.failuresBetweenReads == 1 {
          ask(.load(sessionID: id, from: .processes([])), search)
        } else {
          askAgain(search)
        }
      }
    }
  }

  /// Asks the process that was asked last once more, a little later, unless the search has taken long enough.
  private func askAgain(_ search: Search) {
    guard let holder = search.holder, source.now < search.end || registry.firstClaim(of: search.id).isForced else {
      return finish(
        search.id, .unavailable,
        "The node that holds the session cannot be asked, or is about to stop. Come back later.")
    }
    source.executeSoon { askHolder(holder, search) }
  }

  /// Has a client sleep whose session rests on.
  private func rest(_ session: RestingSession) -> Result<SessionRegistry<Source.Member>.Found, Ending> {
    if let ending = source.refusal(of: session) { return .failure(ending) }
    let sleeper = Sleeper(session)
    // The session stays this process's, also while the answer is on its way to the client's channel. Should a bell of it ring
    // meanwhile, its turn in the `WakeQueue` is given back; nothing is missed, as a session that rests without effects observes nothing.
    registry.add(sleeper) { [weak registry] call in
      if case .wake = call { registry?.didNotWake(session.identity.id) }
    }
    return .success(.resting(session, sleeper))
  }

  private func finish(_ id: String, _ bye: Bye, _ reason: String) {
    registry.finish(id, .failure(Ending(bye, reason)))
  }
}

extension Ending {
  /// The ending of clients that come to a node that others may take for dead.
  static let suspended = Ending(.unavailable, "This node is cut off from the session store. Come back later.")

  /// The ending of clients that would join a session that is gone, or never was.
  static let invitationIsVoid = Ending(.denied, "The session that this token was for is not there, or not any more.")
}

extension Sleeper {
  /// A client that has come back with all of its view.
  ///
  /// - Parameter session: its session, which rests on.
  fileprivate convenience init(_ session: RestingSession) {
    self.init(
      sessionID: session.identity.id, client: session.client.id, attempt: session.client.attempt,
      epoch: session.state.rest?.epoch ?? "", revision: session.state.revision, lease: session.lease)
  }
}
