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
    let sessions = PostgresStatement(Self.selectFenced, Self.names(of: persons) + [.integer(node)])
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

  /// The sign-outs of those of some persons who were signed out.
  ///
  /// A sign-out of one of these persons waits until the transaction is over, and then fences off the sessions that it has written.
  func signOuts(
    of persons: Set<PersonID>, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> [PersonID: Revocation] {
    guard !persons.isEmpty else { return [:] }
    return Self.signOuts(in: try transaction.run(Self.findingSignOuts(of: persons))[1])
  }

  /// Two statements: one keeps some persons from being signed out, and the other finds out who is.
  static func findingSignOuts(of persons: Set<PersonID>) -> [PostgresStatement] {
    // In one order, as it locks them.
    let names = names(of: persons.sorted { ($0.issuer, $0.subject) < ($1.issuer, $1.subject) })
    return [PostgresStatement(sharePersons, names), PostgresStatement(findSignOuts, names)]
  }

  /// What the second of them has found.
  static func signOuts(in result: PostgresResult) -> [PersonID: Revocation] {
    var found: [PersonID: Revocation] = [:]
    for row in result.rows {
      let person = PersonID(row.text(0), issuer: row.text(1))
      found[person] = Revocation(person, at: row.integer(2), mark: row.integer(3))
    }
    return found
  }

  /// The parameters 1 and 2: the subjects and the issuers.
  static func names(of persons: [PersonID]) -> [PostgresParameter] {
    [
      .byteArrays(persons.map { Array($0.subject.utf8) }), .byteArrays(persons.map { Array($0.issuer.utf8) }),
    ]
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
  private static let findSignOuts = PostgresQuery(
    """
    SELECT r.subject, r.issuer, r.time, r.mark FROM rib_revocation r
      JOIN unnest($1::bytea[], $2::bytea[]) AS i(subject, issuer) ON (r.subject, r.issuer) = (i.subject, i.issuer)
    """)
}
