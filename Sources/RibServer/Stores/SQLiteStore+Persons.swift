import GRDB
import RibCore

// The persons behind clients.

extension SQLiteStore {
  /// Signs a person out.
  ///
  /// Sessions with a client of the person that other processes hold are fenced off by a higher lease: a later commit of such a process is
  /// not written, and no client is told of it. A client that comes back has the session loaded, and is judged by the revocation.
  func signOut(
    _ revocation: Revocation, _ keeping: Duration, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    let (subject, issuer) = (revocation.person.subject, revocation.person.issuer)
    try statements.deleteRevocations.run(.integer(revocation.time - Int(keeping.components.seconds)))
    var stored = revocation
    try statements.insertRevocation.rows(
      .text(subject), .text(issuer), .real(revocation.secondsForStore), .integer(revocation.mark)
    ) {
      stored = $0.revocation(of: revocation.person, at: 0)
    }
    try statements.moveProgress.run(.text(subject), .text(issuer), .integer(holder))
    try statements.fenceSessions.run(.text(subject), .text(issuer), .integer(holder), .integer(self.time.now(clock)))
    return .signedOut(stored)
  }

  func findRevocations(after last: Int64, _ statements: Statements) throws -> StoreResult {
    var found: [Revocation] = []
    var last = last
    try statements.selectRevocations.rows(.integer(last)) { row in
      last = Int64(row.integer(0))
      found.append(row.revocation(of: PersonID(row.text(1), issuer: row.text(2)), at: 3))
    }
    return .revocations(found, last: last)
  }

  /// Records which persons the clients of a session are bound to, so that a sign-out finds the session.
  func notePersons(in clients: [ClientRecord], of row: Int64, _ statements: Statements) throws {
    for case let person? in clients.map(\.person) {
      let (subject, issuer) = (person.identity.subject, person.identity.issuer)
      try statements.insertPerson.run(.text(subject), .text(issuer), .integer(row), .integer(person.since))
    }
  }

  /// Whether the place or the person that begins a session has as many sessions as are allowed.
  func isOverQuota(_ identity: SessionIdentity, _ cut: SessionCut, _ statements: Statements) throws -> Bool {
    guard let quota = cut.quota else { return false }
    var count = 0
    if quota.perPlace > 0, let place = identity.place {
      try statements.countOfPlace.rows(.text(place), .text(identity.id)) { count = $0.integer(0) }
      if count >= quota.perPlace { return true }
    }
    if quota.perPerson > 0, let person = cut.state.clients.first?.person?.identity {
      try statements.countOfPerson.rows(.text(person.subject), .text(person.issuer), .text(identity.id)) {
        count = $0.integer(0)
      }
      if count >= quota.perPerson { return true }
    }
    return false
  }

  /// Whether a client's person was signed out after the client was bound, or after its credential was issued, and the client is not
  /// revoked: the revocation is by another process, and this one has not learned of it.
  func isAnyRevoked(_ clients: [ClientRecord], _ statements: Statements) throws -> Bool {
    for case let person? in clients.map(\.person) where !person.isRevoked {
      guard let signOut = try signOut(of: PersonID(person.identity), statements) else { continue }
      if person.since <= signOut.mark || person.identity.wasIssued(before: signOut) { return true }
    }
    return false
  }

  /// Revokes the clients of a session whose persons were signed out after the clients were bound.
  func markRevoked(in state: inout SessionState, _ statements: Statements) throws {
    try state.revoke { person in
      try signOut(of: PersonID(person.identity), statements).map { person.since <= $0.mark } ?? false
    }
  }

  private func signOut(of person: PersonID, _ statements: Statements) throws -> Revocation? {
    var found: Revocation?
    try statements.selectRevocation.rows(.text(person.subject), .text(person.issuer)) {
      found = $0.revocation(of: person, at: 0)
    }
    return found
  }
}

extension SQLiteStatement.Row {
  /// A sign-out, from the columns of its time and its mark.
  fileprivate func revocation(of person: PersonID, at column: Int32) -> Revocation {
    let mark = integer(column + 1)
    // An earlier version has written the second alone, as an integer.
    guard let seconds = real(column) else { return Revocation(person, at: integer(column), mark: mark) }
    return Revocation(person, millisecond: Int(exactly: (seconds * 1000).rounded()) ?? .max, mark: mark)
  }
}

extension Revocation {
  /// Seconds since 1970, as an SQLite file has them: an earlier version reads the second alone.
  var secondsForStore: Double { Double(millisecond) / 1000 }
}
