import RibCore
import RibServer
import Wire

// What belongs to one session.

extension PostgresStore {
  // MARK: Locking

  /// Locks the rows that a batch writes, or may take, until the transaction is over.
  ///
  /// All of them at once and in order: nodes that lock them one after the other wait for each other in a circle. Rows come before persons, as a
  /// sign-out has both, too, and all sign-outs before rows. Sessions that other nodes have are not locked, as these are about to write them,
  /// but for those whose person is signed out.
  ///
  /// - Parameters:
  ///   - requests: of the batch.
  ///   - transaction: what it belongs to.
  /// - Returns: the names of the sessions that are locked; none if no other locks follow.
  /// - Throws: ``PostgresError``.
  func lock(_ requests: [StoreRequest], _ transaction: PostgresTransaction) throws(PostgresError) -> Set<ExactString> {
    var (rows, names, holders, takesAny) = ([Int64](), [String](), Set([0, node]), false)
    var (hasPersons, signedOut) = (false, [PersonID]())
    for request in requests {
      switch request {
      case .write(let lease, let cut):
        rows.append(lease.row)
        if !cut.isProgress, cut.hasPersons { hasPersons = true }
      case .remove(_, let lease), .noteAbsence(_, let lease): rows.append(lease.row)
      // One that is made again may be there.
      case .create(let identity, let cut): if cut.hasPersons { names.append(identity.id) }
      case .load(let id, _, let takeover):
        names.append(id)
        switch takeover {
        case .nobody: break
        case .anybody: takesAny = true
        case .processes(let processes): holders.formUnion(processes)
        }
      case .resume(let resume): names.append(resume.sessionID)
      case .signOut(let revocation, _): signedOut.append(revocation.person)
      case .findExpired, .forget, .findRevocations, .tidy, .probe, .measure: break
      }
    }
    names.removeAll { $0.utf8.contains(0) }
    guard !names.isEmpty || !signedOut.isEmpty || hasPersons else { return [] }
    rows += try lockSignOuts(of: signedOut, transaction)
    let lock = PostgresStatement(
      Self.lockSessions, .integers(rows), .texts(names), .flag(takesAny),
      .integers(holders.map { Int64($0) }))
    return Set(try transaction.run(lock).rows.map { ExactString($0.text(0)) })
  }

  // MARK: Leaving

  func remove(_ lease: SessionLease, _ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    let result = try transaction.run(PostgresStatement(Self.deleteSession, .integer(lease.row), .integer(lease.number)))
    return .removed(result.count)
  }

  func noteAbsence(_ lease: SessionLease, _ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    try transaction.run([
      PostgresStatement(Self.noteAbsence, .integer(lease.row), .integer(lease.number), .integer(time.now(clock)))
    ])
    return .noted
  }

  private static let lockSessions = PostgresQuery(
    """
    SELECT sid FROM rib_session
      WHERE id = ANY ($1::int8[]) OR (sid = ANY ($2::text[]) AND ($3::bool OR holder = ANY ($4::int8[]))) ORDER BY id FOR UPDATE
    """)
  private static let deleteSession = PostgresQuery(
    deletion(of: "id = $1::int8 AND lease = $2::int8"))
  private static let noteAbsence = PostgresQuery(
    "UPDATE rib_session SET holder = 0, seen = $3::int8 WHERE id = $1::int8 AND lease = $2::int8")

  /// Deletes sessions with all that belongs to them, and returns their names and apps.
  static func deletion(of condition: String) -> String {
    """
    WITH gone AS (DELETE FROM rib_session WHERE \(condition) RETURNING id, sid, app),
      riblets AS (DELETE FROM rib_riblet WHERE session IN (SELECT id FROM gone)),
      nacks AS (DELETE FROM rib_nack WHERE session IN (SELECT id FROM gone)),
      crashes AS (DELETE FROM rib_crash WHERE session IN (SELECT id FROM gone)),
      persons AS (DELETE FROM rib_person WHERE session IN (SELECT id FROM gone))
    SELECT sid, app FROM gone
    """
  }
}
