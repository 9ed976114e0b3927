import RibCore
import RibServer

// The persons behind clients.

extension PostgresStore {
  /// Signs a person out.
  ///
  /// Sessions with a client of the person that other nodes hold are fenced off by a higher lease: a later commit of such a node is not
  /// written, and no client is told of it. A client that comes back has the session loaded, and is judged by the revocation.
  func signOut(
    _ revocation: Revocation, _ keeping: Duration, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    let (subject, issuer) = (revocation.person.subject, revocation.person.issuer)
    let results = try transaction.run([
      PostgresStatement(Self.lockPerson, .utf8(subject), .utf8(issuer)),
      PostgresStatement(Self.deleteRevocations, .integer(revocation.time - Int(keeping.components.seconds))),
      PostgresStatement(
        Self.insertRevocation, .utf8(subject), .utf8(issuer), .integer(revocation.time), .integer(revocation.mark)),
      PostgresStatement(
        Self.fenceSessions, .utf8(subject), .utf8(issuer), .integer(node), .integer(time.now(clock))),
    ])
    guard let row = results[2].first else { return .signedOut(revocation) }
    return .signedOut(Revocation(revocation.person, at: row.integer(0), mark: row.integer(1)))
  }

  /// Has sign-outs happen one after the other: whoever has read up to a number has read all before it.
  ///
  /// - Returns: the rows of the sessions that they fence off.
  func lockSignOuts(
    of persons: [PersonID], _ transaction: PostgresTransaction
  ) throws(PostgresError) -> [Int64] {
    guard !persons.isEmpty else { return [] }
    let sessions = PostgresStatement(
      Self.selectFenced, .byteArrays(persons.map { Array($0.subject.utf8) }),
      .byteArrays(persons.map { Array($0.issuer.utf8) }), .integer(node))
    return try transaction.run([PostgresStatement(Self.lockSignOuts), sessions])[1].rows.map { Int64($0.integer(0)) }
  }

  func findRevocations(after last: Int64, _ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    let rows = try transaction.run(PostgresStatement(Self.selectRevocations, .integer(last))).rows
    var (found, last) = ([Revocation](), last)
    for row in rows {
      last = Int64(row.integer(0))
      found.append(Revocation(PersonID(row.text(1), issuer: row.text(2)), at: row.integer(3), mark: row.integer(4)))
    }
    return .revocations(found, last: last)
  }

  /// Records which persons the clients of a session are bound to, so that a sign-out finds the session.
  func notePersons(
    in clients: [ClientRecord], of row: Int64, _ transaction: PostgresTransaction
  ) throws(PostgresError) {
    try transaction.run(
      clients.compactMap(\.person).map { person in
        PostgresStatement(
          Self.insertPerson, .utf8(person.identity.subject), .utf8(person.identity.issuer), .integer(row),
          .integer(person.since))
      })
  }

  /// Whether the place or the person that begins a session has as many sessions as are allowed.
  func isOverQuota(
    _ identity: SessionIdentity, _ cut: SessionCut, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> Bool {
    guard let quota = cut.quota else { return false }
    if quota.perPlace > 0, let place = identity.place {
      let result = try transaction.run(PostgresStatement(Self.countOfPlace, .text(place), .text(identity.id)))
      if result.first?.integer(0) ?? 0 >= quota.perPlace { return true }
    }
    if quota.perPerson > 0, let person = cut.state.clients.first?.person?.identity {
      let result = try transaction.run(
        PostgresStatement(Self.countOfPerson, .utf8(person.subject), .utf8(person.issuer), .text(identity.id)))
      if result.first?.integer(0) ?? 0 >= quota.perPerson { return true }
    }
    return false
  }

  /// Whether a client's person was signed out after the client was bound, or after its credential was issued, and the client is not
  /// revoked: the revocation is by another node, and this one has not learned of it.
  func isAnyRevoked(_ clients: [ClientRecord], _ transaction: PostgresTransaction) throws(PostgresError) -> Bool {
    let persons = clients.compactMap(\.person).filter { !$0.isRevoked }
    let signOuts = try signOuts(of: persons.map { PersonID($0.identity) }, transaction)
    return persons.contains { person in
      signOuts[PersonID(person.identity)].map {
        person.since <= $0.mark || person.identity.wasIssued(before: $0)
      } ?? false
    }
  }

  /// The sign-outs of those of some persons who were signed out.
  ///
  /// A sign-out of one of these persons waits until the transaction is over, and then fences off the sessions that it has written.
  func signOuts(
    of persons: [PersonID], _ transaction: PostgresTransaction
  ) throws(PostgresError) -> [PersonID: Revocation] {
    guard !persons.isEmpty else { return [:] }
    let names = [
      PostgresParameter.byteArrays(persons.map { Array($0.subject.utf8) }),
      .byteArrays(persons.map { Array($0.issuer.utf8) }),
    ]
    let rows = try transaction.run([
      PostgresStatement(Self.sharePersons, names), PostgresStatement(Self.findSignOuts, names),
    ])[1].rows
    var found: [PersonID: Revocation] = [:]
    for row in rows {
      let person = PersonID(row.text(0), issuer: row.text(1))
      found[person] = Revocation(person, at: row.integer(2), mark: row.integer(3))
    }
    return found
  }

  private static func lock(_ subject: String, _ issuer: String) -> String {
    "hashtextextended(encode(\(subject), 'hex'), hashtextextended(encode(\(issuer), 'hex'), hashtext(current_schema())))"
  }
  private static let lockSignOuts = PostgresQuery("SELECT pg_advisory_xact_lock(\(lock(of: "sign-outs")))")
  private static let lockPerson = PostgresQuery("SELECT pg_advisory_xact_lock(\(lock("$1::bytea", "$2::bytea")))")
  private static let sharePersons = PostgresQuery(
    """
    SELECT pg_advisory_xact_lock_shared(\(lock("subject", "issuer"))) FROM unnest($1::bytea[], $2::bytea[]) AS i(subject, issuer)
    """)
  private static let deleteRevocations = PostgresQuery("DELETE FROM rib_revocation WHERE time < $1::int8")
  /// A row that is replaced gets a new number: so nodes that have read the former one read it again.
  private static let insertRevocation = PostgresQuery(
    """
    INSERT INTO rib_revocation AS r (subject, issuer, time, mark)
      SELECT $1::bytea, $2::bytea, $3::int8, greatest($4::int8,
        (SELECT max(since) FROM rib_person WHERE subject = $1::bytea AND issuer = $2::bytea))
      ON CONFLICT (subject, issuer) DO UPDATE SET id = DEFAULT, time = greatest(r.time, excluded.time),
        mark = greatest(r.mark + 1, excluded.mark)
      RETURNING time, mark
    """)
  private static let selectFenced = PostgresQuery(
    """
    SELECT s.id FROM unnest($1::bytea[], $2::bytea[]) AS i(subject, issuer)
      JOIN rib_person p ON (p.subject, p.issuer) = (i.subject, i.issuer) JOIN rib_session s ON s.id = p.session
      WHERE s.holder NOT IN (0, $3::int8)
    """)
  private static let fenceSessions = PostgresQuery(
    """
    UPDATE rib_session SET lease = lease + 1, holder = 0, seen = $4::int8
      WHERE holder NOT IN (0, $3::int8) AND id IN (SELECT session FROM rib_person WHERE subject = $1::bytea AND issuer = $2::bytea)
    """)
  private static let selectRevocations = PostgresQuery(
    "SELECT id, subject, issuer, time, mark FROM rib_revocation WHERE id > $1::int8 ORDER BY id")
  private static let insertPerson = PostgresQuery(
    """
    INSERT INTO rib_person AS p (subject, issuer, session, since) VALUES ($1::bytea, $2::bytea, $3::int8, $4::int8)
      ON CONFLICT (subject, issuer, session) DO UPDATE SET since = greatest(p.since, excluded.since)
    """)
  private static let countOfPlace = PostgresQuery(
    "SELECT count(*) FROM rib_session WHERE place = $1::text AND sid <> $2::text")
  private static let countOfPerson = PostgresQuery(
    """
    SELECT count(*) FROM rib_person p JOIN rib_session s ON s.id = p.session
      LEFT JOIN rib_revocation r ON (r.subject, r.issuer) = (p.subject, p.issuer)
      WHERE p.subject = $1::bytea AND p.issuer = $2::bytea AND s.sid <> $3::text AND p.since > coalesce(r.mark, p.since - 1)
    """)
  private static let findSignOuts = PostgresQuery(
    """
    SELECT r.subject, r.issuer, r.time, r.mark FROM rib_revocation r
      JOIN unnest($1::bytea[], $2::bytea[]) AS i(subject, issuer) ON (r.subject, r.issuer) = (i.subject, i.issuer)
    """)
}
