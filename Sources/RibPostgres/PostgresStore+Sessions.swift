import RibCore
import RibServer
import Wire

// What belongs to one session.

extension PostgresStore {
  // MARK: Writing, of a session with persons or a quota

  func create(
    _ identity: SessionIdentity, _ cut: SessionCut, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    guard try !isAnyRevoked(cut.state.clients, transaction) else { return .lost }
    guard try !isOverQuota(identity, cut, transaction) else { return .overQuota }
    return try writeAlone(.create(identity, cut), cut, transaction)
  }

  func write(
    _ lease: SessionLease, _ cut: SessionCut, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    if !cut.isProgress, try isAnyRevoked(cut.state.clients, transaction) { return .lost }
    return try writeAlone(.write(lease, cut), cut, transaction)
  }

  private func writeAlone(
    _ request: StoreRequest, _ cut: SessionCut, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    let result = try PostgresBatch(node: node, now: time.now(clock), only: request).write(transaction)[0]
    if case .written(let lease) = result, !cut.isProgress {
      try notePersons(in: cut.state.clients, of: lease.row, transaction)
    }
    return result
  }

  // MARK: Reading

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
  func lock(_ requests: [StoreRequest], _ transaction: PostgresTransaction) throws(PostgresError) -> Set<String> {
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
      case .findExpired, .forget, .findRevocations, .tidy, .probe: break
      }
    }
    names.removeAll { $0.utf8.contains(0) }
    guard !names.isEmpty || !signedOut.isEmpty || hasPersons else { return [] }
    rows += try lockSignOuts(of: signedOut, transaction)
    let lock = PostgresStatement(
      Self.lockSessions, .integers(rows), .texts(names), .flag(takesAny),
      .integers(holders.map { Int64($0) }))
    return Set(try transaction.run(lock).rows.map { $0.text(0) })
  }

  /// Finds a session.
  private func find(
    _ id: String, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> Result<SessionRow, StoreError>? {
    // A name that no session can have is none that the database could be asked for.
    guard !id.utf8.contains(0),
      let row = try transaction.run(PostgresStatement(Self.selectSession, .text(id))).first
    else { return nil }
    do {
      var found = try read(row, id)
      let persons = found.state.clients.compactMap(\.person).map { PersonID($0.identity) }
      let signOuts = try self.signOuts(of: persons, transaction)
      found.state.revoke { person in signOuts[PersonID(person.identity)].map { person.since <= $0.mark } ?? false }
      return .success(found)
    } catch let error as PostgresError {
      throw error
    } catch {
      return .failure(StoreError("The session \(id) is damaged: \(error)", isGlobal: false))
    }
  }

  private func read(_ row: PostgresResult.Row, _ id: String) throws -> SessionRow {
    var rest: SessionState.Rest?
    if let epoch = row.optionalText(14), let hash = row.optionalText(15), row.flag(17) {
      rest = SessionState.Rest(epoch: epoch, viewHash: hash, program: row.optionalText(16))
    }
    guard let transactions = UInt64(exactly: row.integer(7)) else {
      throw StoreError("The session has done \(row.integer(7)) transactions.", isGlobal: false)
    }
    return SessionRow(
      identity: SessionIdentity(id: id, app: row.text(2), parameters: row.optionalText(3)),
      lease: SessionLease(row: Int64(row.integer(0)), number: Int64(row.integer(1))), holder: row.integer(12),
      state: SessionState(
        revision: row.integer(4), clients: try [ClientRecord](json: row.text(8), numbers: row.optionalText(9)),
        invitations: try [Invitation](json: row.text(10)), hasActed: row.flag(11), isHeld: row.integer(12) != 0,
        alone: .seconds(max(time.now(clock) - row.integer(13), 0)), rest: rest),
      tree: TreeSnapshot(root: row.integer(5), lastID: row.integer(6), transactions: transactions, nodes: [:]))
  }

  func load(
    _ id: String, _ tokenHash: String?, from takeover: Takeover, isLocked: Bool, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    guard let found = try find(id, transaction) else { return .missing }
    let row: SessionRow
    switch found {
    case .success(let found): row = found
    case .failure(let error): return .refused(error)
    }
    guard row.state.admits(tokenHash, at: clock.wall()) else { return .denied(row.state) }
    guard row.holder == 0 || row.holder == node || takeover.includes(row.holder) else { return .held(by: row.holder) }
    guard isLocked else {
      // The session has become free since the batch has locked its rows.
      try transaction.run([PostgresStatement(Self.lockSession, .integer(row.lease.row))])
      return try load(id, tokenHash, from: takeover, isLocked: true, transaction)
    }
    let results = try transaction.run([
      PostgresStatement(Self.selectNodes, .integer(row.lease.row)),
      PostgresStatement(Self.selectNacks, .integer(row.lease.row)),
      PostgresStatement(Self.selectCrashes, .integer(row.lease.row)),
    ])
    var tree = row.tree
    do {
      for node in results[0].rows {
        tree.nodes[node.integer(0)] = try NodeSnapshot(
          id: node.integer(0), type: node.text(1), version: node.integer(2), base: node.optionalText(3),
          changes: node.byteArrays(4), childrenJSON: node.optionalText(5), effectsJSON: node.optionalText(6))
      }
    } catch {
      return .refused(StoreError("The session \(id) is damaged: \(error)", isGlobal: false))
    }
    // From here on no other node can write it; and what is shown from here on is counted anew if it is lost.
    try transaction.run([
      PostgresStatement(
        Self.takeSession, .integer(row.lease.row), .integer(row.nextLease.number), .integer(node),
        .bytes(row.state.clientsJSON), .utf8(row.state.invitationsJSON))
    ])
    let crashes = results[2].rows.map {
      StoredSession.Crash(client: $0.integer(0), number: $0.integer(1), count: $0.integer(2))
    }
    return .loaded(
      StoredSession(
        identity: row.identity, lease: row.nextLease, state: row.state, tree: tree, nacks: Self.nacks(results[1]),
        crashes: Array(crashes)))
  }

  private static func nacks(_ result: PostgresResult) -> [SessionCut.Refusal] {
    result.rows.map { row in
      let code = Nack.Code(rawValue: row.text(2)) ?? .failed
      return SessionCut.Refusal(
        client: row.integer(0), nack: Nack(number: row.integer(1), code: code, message: row.text(3)))
    }
  }

  func resume(
    _ resume: SessionResume, isLocked: Bool, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    guard let found = try find(resume.sessionID, transaction) else { return .missing }
    let row: SessionRow
    switch found {
    case .success(let found): row = found
    case .failure(let error): return .refused(error)
    }
    let index: Int
    switch row.state.readmission(of: resume, isHeldHere: row.holder == node) {
    case .denied: return .denied(row.state)
    case .stale: return .stale
    case .mustLoad: return .mustLoad
    case .resting(let place): index = place
    }
    guard isLocked else {
      try transaction.run([PostgresStatement(Self.lockSession, .integer(row.lease.row))])
      return try self.resume(resume, isLocked: true, transaction)
    }
    var state = row.state
    state.clients[index].attempt = resume.attempt
    state.isHeld = true
    state.alone = .zero
    let results = try transaction.run([
      PostgresStatement(Self.selectNacks, .integer(row.lease.row)),
      PostgresStatement(
        Self.resumeSession, .integer(row.lease.row), .integer(row.nextLease.number), .integer(node),
        .bytes(state.clientsJSON), .utf8(state.invitationsJSON), .integer(time.now(clock))),
    ])
    let nacks = Self.nacks(results[0]).filter { $0.client == resume.clientID }
    return .resting(
      RestingSession(
        identity: row.identity, lease: row.nextLease, state: state, client: state.clients[index],
        nacks: nacks.map(\.nack)))
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

  private static let selectSession = PostgresQuery(
    """
    SELECT id, lease, app, parameters, rev, root, last_node, transactions, clients, numbers, invitations, acted, holder, seen,
      epoch, view_hash, program, timeline = \(PostgresBatch.timeline) FROM rib_session WHERE sid = $1::text
    """)
  private static let lockSessions = PostgresQuery(
    """
    SELECT sid FROM rib_session
      WHERE id = ANY ($1::int8[]) OR (sid = ANY ($2::text[]) AND ($3::bool OR holder = ANY ($4::int8[]))) ORDER BY id FOR UPDATE
    """)
  private static let lockSession = PostgresQuery("SELECT id FROM rib_session WHERE id = $1::int8 FOR UPDATE")
  private static let selectNodes = PostgresQuery(
    "SELECT id, type, version, state, changes, children, effects FROM rib_riblet WHERE session = $1::int8")
  private static let selectNacks = PostgresQuery(
    "SELECT client, n, code, message FROM rib_nack WHERE session = $1::int8 ORDER BY client, n")
  private static let selectCrashes = PostgresQuery("SELECT client, n, count FROM rib_crash WHERE session = $1::int8")
  private static let takeSession = PostgresQuery(
    """
    UPDATE rib_session SET lease = $2::int8, version = 0, holder = $3::int8, clients = $4::bytea, numbers = NULL,
      invitations = $5::bytea, epoch = NULL, view_hash = NULL WHERE id = $1::int8
    """)
  private static let resumeSession = PostgresQuery(
    """
    UPDATE rib_session SET lease = $2::int8, version = 0, holder = $3::int8, clients = $4::bytea, numbers = NULL,
      invitations = $5::bytea, seen = $6::int8 WHERE id = $1::int8
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
