import Wire

/// Keeps sessions outside of the memory of those who run them.
///
/// A store is called by one thread at a time, the ``StoreWriter``'s, with all that loops have asked for meanwhile: one
/// commit serves many sessions.
protocol SessionStore: Sendable {
  /// What a commit survives.
  var durability: Welcome.Durability { get }

  /// Does what is asked for, in order and in one commit; each request is apart from the others.
  ///
  /// - Parameter requests: what loops have asked for.
  /// - Returns: one result a request.
  /// - Throws: ``StoreError`` if there was no commit; nothing is changed then.
  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult]

  /// Ends the store's use; what was committed stays.
  func close()
}

/// What is asked of a store.
///
/// Kept by reference: it is passed on several times.
indirect enum StoreRequest: Sendable {
  /// Takes a session in that it does not have.
  case create(SessionIdentity, SessionCut)
  /// Writes what has changed of a session.
  case write(SessionLease, SessionCut)
  /// Reads a session, and makes it the reader's: nobody else can write it from here on; for whose token has this hash, or
  /// was let in before.
  case load(sessionID: String, tokenHash: String? = nil)
  /// Forgets a session.
  case remove(sessionID: String, SessionLease)
  /// Forgets sessions that were without a client for too long, a number of them at a time.
  case expire(SessionExpiry)
  /// Takes note that nobody is connected any more to a session that is not in memory; with the lease of who was the last to
  /// write it.
  case noteAbsence(sessionID: String, SessionLease, now: Int)
  /// Takes note that the server is there, at a time in seconds since 1970.
  case probe(now: Int)
}

/// What has become of a request.
enum StoreResult: Sendable {
  /// Written: whoever writes the session next shows this.
  case written(SessionLease)
  /// Not written: someone else has loaded the session since, or it was forgotten.
  case lost
  /// Not written: this session alone cannot be.
  case refused(StoreError)
  /// Read.
  case loaded(StoredSession)
  /// There is no such session.
  case missing
  /// Not read: the token opens nothing there. This says what would.
  case denied(SessionState)
  /// Forgotten: so many sessions.
  case removed(Int)
  /// Noted.
  case noted
}

/// The right to write a session: who loads it gets a newer one, and the older one is void.
struct SessionLease: Equatable, Sendable {
  /// The session, as the store numbers it.
  let row: Int64
  /// Counts those who have loaded the session.
  let number: Int64
}

/// Which sessions are to be forgotten: those whose client was seen last before a time.
struct SessionExpiry: Equatable, Sendable {
  /// The time for sessions that a client has acted on, in seconds since 1970.
  let acted: Int
  /// The time for the others: not before `acted`.
  let untouched: Int
  /// How many at most.
  let limit: Int
}

/// A session store could not do something.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What happened, and what to do, for whoever runs the server.
  public let description: String

  init(_ description: String) { self.description = description }
}
