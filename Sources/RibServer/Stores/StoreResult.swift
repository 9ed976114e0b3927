package import Wire

/// What has become of a request.
package enum StoreResult: Sendable {
  /// Written; the next write of the session is to show this lease.
  case written(SessionLease)
  /// Not written: another process has loaded the session since, it was forgotten, or a later cut is there.
  case lost
  /// Not created: the session's place or its person has as many sessions as are allowed.
  case overQuota
  /// Not done: this request alone cannot be. A store says so if it has changed nothing for it, and otherwise throws.
  case refused(StoreError)
  /// Read.
  indirect case loaded(StoredSession)
  /// Not read, and not needed: the session rests, and the client has seen all of it. The client's `try` is written, and the
  /// process holds the session.
  indirect case resting(RestingSession)
  /// Not done: the session has to be loaded to answer the client.
  case mustLoad
  /// Not done: a newer connection of the client has been there.
  case stale
  /// There is no such session.
  case missing
  /// Not read: the token opens nothing there. This says what would.
  indirect case denied(SessionState)
  /// Not read: this process holds the session.
  case held(by: Int)
  /// Forgotten: so many sessions.
  case removed(Int)
  /// Sessions that are to be forgotten, as the store numbers them: not more than were asked for.
  case expired([Int64])
  /// Forgotten: this session. Nil if it is not to be forgotten any more, or there is more of it.
  case forgotten(ForgottenSession?)
  /// Space was given back, and there is no more of it.
  case tidied(isDone: Bool)
  /// Signed out, with the time and the mark that are stored: higher than the request's where those of the person's former sign-out, or the
  /// marks of its clients, require it.
  case signedOut(Revocation)
  /// The revocations, and the number of the last one, after which to ask for the next.
  case revocations([Revocation], last: Int64)
  /// Noted.
  case noted
  /// Noted, and this is what the age of sessions does not count of the time since the last note.
  case notCounted(StoreTime.Change)
  /// So much there is.
  case measured(StoreMeasure)
}

/// How much a store has.
package struct StoreMeasure: Equatable, Sendable {
  /// The number of sessions; of a database that would have to count them for long, about.
  package let sessionCount: Int
  /// Bytes on the disk, by what they are of; empty for a store that does not know.
  package let bytes: [String: Int]  // safe text: own

  /// A measure.
  package init(sessionCount: Int, bytes: [String: Int] = [:]) {  // safe text: own
    self.sessionCount = sessionCount
    self.bytes = bytes
  }
}

/// A session that a store has forgotten, as its time to live was over.
package struct ForgottenSession: Equatable, Sendable {
  /// Its name.
  package let id: String
  /// The name of its app.
  package let app: String

  /// A session that is gone.
  package init(id: String, app: String) {
    self.id = id
    self.app = app
  }
}

/// The right to write a session: a process that loads it gets a newer one, and the older one is void.
package struct SessionLease: Hashable, Sendable {
  /// The session, as the store numbers it.
  package let row: Int64
  /// 1 for the process that has created the session, and one more each time that it is loaded or resumed.
  package let number: Int64

  /// A right.
  package init(row: Int64, number: Int64) {
    self.row = row
    self.number = number
  }
}

/// A session that rests, as a client needs it that comes back with all of its view.
package struct RestingSession: Sendable {
  /// What never changes.
  package let identity: SessionIdentity
  /// A new lease: the last to write the session cannot write it any more.
  package let lease: SessionLease
  /// What else is kept but the nodes, with the client's new `try`.
  package let state: SessionState
  /// The client, with its new `try`.
  package let client: ClientRecord
  /// Refusals that the client has not acknowledged, in order.
  package let nacks: [Nack]

  /// A session that rests.
  package init(
    identity: SessionIdentity, lease: SessionLease, state: SessionState, client: ClientRecord, nacks: [Nack]
  ) {
    self.identity = identity
    self.lease = lease
    self.state = state
    self.client = client
    self.nacks = nacks
  }
}
