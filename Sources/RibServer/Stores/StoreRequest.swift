package import RibCore

/// What is asked of a store.
///
/// Kept by reference: it is passed on several times.
package indirect enum StoreRequest: Sendable {
  /// Takes a session in that the store does not have; answered by ``StoreResult/written(_:)``, ``StoreResult/lost`` or
  /// ``StoreResult/overQuota``.
  ///
  /// If the same process has created it before and it was not loaded since (its lease is 1), this is a write.
  case create(SessionIdentity, SessionCut)
  /// Writes what has changed of a session; answered by ``StoreResult/written(_:)`` or ``StoreResult/lost``.
  case write(SessionLease, SessionCut)
  /// Reads a session, and makes it the reader's: answered by ``StoreResult/loaded(_:)``, ``StoreResult/missing``,
  /// ``StoreResult/denied(_:)`` or ``StoreResult/held(by:)``.
  ///
  /// `tokenHash` is of the token that is to open the session; nil for a client that was let in before. A store whose processes are
  /// all on one machine takes the session from whoever holds it, whatever is asked for.
  case load(sessionID: String, tokenHash: String? = nil, from: Takeover = .anybody)
  /// Lets a client come back to a session that rests, without reading the session; answered by ``StoreResult/resting(_:)``,
  /// ``StoreResult/missing``, ``StoreResult/denied(_:)``, ``StoreResult/stale``, ``StoreResult/mustLoad`` or, where the session has to be loaded
  /// and another process may need it, ``StoreResult/held(by:)``.
  case resume(SessionResume)
  /// Forgets a session; answered by ``StoreResult/removed(_:)``.
  case remove(sessionID: String, SessionLease)
  /// Takes note that no client is connected any more to a session that is not in memory, from now on; with the lease of its
  /// last writer. Answered by ``StoreResult/noted``.
  case noteAbsence(sessionID: String, SessionLease)
  /// Looks for sessions that were without a client for too long; answered by ``StoreResult/expired(_:)``.
  case findExpired(SessionExpiry)
  /// Forgets a session that ``findExpired(_:)`` has found, or a part of it, if it still is to be forgotten; answered by
  /// ``StoreResult/forgotten(_:)``.
  case forget(row: Int64, SessionExpiry)
  /// Gives a little of the space back that forgotten sessions have left; answered by ``StoreResult/tidied(isDone:)``.
  case tidy
  /// Signs a person out: the person's clients cannot come back, and other processes lose their leases of sessions with such clients;
  /// answered by ``StoreResult/signedOut(_:)``. Revocations that are older than `keeping` are deleted.
  case signOut(Revocation, keeping: Duration)
  /// Asks for the revocations after one with this number, by any process; answered by ``StoreResult/revocations(_:last:)``.
  case findRevocations(after: Int64)
  /// Takes note that the process is there; answered by ``StoreResult/noted`` or ``StoreResult/notCounted(_:)``.
  case probe
  /// Asks how much there is; answered by ``StoreResult/measured(_:)``.
  case measure

  /// Whether it asks for nothing but that the store answers.
  var isProbe: Bool { if case .probe = self { true } else { false } }

  /// What is to be written of a session; nil if nothing is.
  package var cut: SessionCut? {
    switch self {
    case .create(_, let cut), .write(_, let cut): cut
    default: nil
    }
  }
}

/// From whom a session may be taken that another process holds: its lease is void then, whatever it is doing.
package enum Takeover: Equatable, Sendable {
  /// From nobody.
  case nobody
  /// From these, which are dead, or have said that they do not need it.
  case processes(Set<Int>)
  /// From anybody.
  case anybody

  /// Whether a session may be taken from a process.
  ///
  /// - Parameter process: its number.
  /// - Returns: whether it may.
  package func includes(_ process: Int) -> Bool {
    switch self {
    case .nobody: false
    case .processes(let processes): processes.contains(process)
    case .anybody: true
    }
  }
}

/// A client that comes back to a session, with what it has seen of it.
package struct SessionResume: Equatable, Sendable {
  /// The session's name.
  package let sessionID: String
  /// The client, counted from 1.
  package let clientID: Int
  /// The SHA-256 of its token, in hexadecimal digits.
  package let tokenHash: String
  /// Its `try`, above the last one.
  package let attempt: Int
  /// The life of the tree that its view is of.
  package let epoch: String
  /// The revision of its view.
  package let revision: Int
  /// The program that it has come to: another one may show another view, and has to look.
  package let program: String
  /// The person whose credential the client has shown; nil for nobody.
  package let identity: Identity?

  /// A client that comes back.
  package init(
    sessionID: String, clientID: Int, tokenHash: String, attempt: Int, epoch: String, revision: Int, program: String,
    identity: Identity? = nil
  ) {
    self.sessionID = sessionID
    self.clientID = clientID
    self.tokenHash = tokenHash
    self.attempt = attempt
    self.epoch = epoch
    self.revision = revision
    self.program = program
    self.identity = identity
  }
}

/// Which sessions are to be forgotten: all that were without a client for longer than a time.
package struct SessionExpiry: Equatable, Sendable {
  /// The time for sessions that a client has acted on.
  package let acted: Duration
  /// The time for the others: not longer than `acted`.
  package let untouched: Duration
  /// How many sessions are looked for at most, or how many rows of one are forgotten at a time.
  package let limit: Int

  /// Which ones.
  package init(acted: Duration, untouched: Duration, limit: Int) {
    self.acted = acted
    self.untouched = untouched
    self.limit = limit
  }
}
