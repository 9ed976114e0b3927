import RibCore
import RibServer
import Wire

// Sessions that are read, or whose clients come back, by the same statements, over arrays: as many round trips for a batch as for one.

extension PostgresStore {
  private typealias Found = [ExactString: Result<SessionRow, StoreError>]

  /// What becomes of a request.
  private enum Judgement {
    /// There is nothing to take.
    case answered(StoreResult)
    /// The session is to be read, and taken.
    case loads(SessionRow)
    /// The client, at this place among the session's, comes back to the session, which rests on.
    case resumes(SessionRow, SessionResume, Int)

    /// The row that is taken; nil for none.
    var row: Int64? {
      switch self {
      case .answered: nil
      case .loads(let row), .resumes(let row, _, _): row.lease.row
      }
    }
  }

  /// Reads sessions, and takes those that may be taken.
  ///
  /// They are taken by the last message alone, once an earlier one has locked their rows: ``PostgresStore`` says why.
  ///
  /// - Parameters:
  ///   - reads: what is asked for.
  ///   - locked: the names of the sessions whose rows the transaction has locked.
  ///   - transaction: what it belongs to.
  ///   - isLast: whether to commit behind it.
  /// - Returns: a result for each request, in order.
  /// - Throws: ``PostgresError``.
  func read(
    _ reads: PostgresReads, _ locked: Set<ExactString>, _ transaction: PostgresTransaction, isLast: Bool = false
  ) throws(PostgresError) -> [StoreResult] {
    let requests = reads.requests
    guard !requests.isEmpty else { return [] }
    let names = requests.map { $0.readName ?? "" }
    var found = try find(names, transaction)
    var judgements = zip(requests, names).map { judge($0, found[$1]) }
    // Sessions that have become free since the batch has locked its rows.
    let late = names.indices.filter { judgements[$0].row != nil && !locked.contains(ExactString(names[$0])) }
    if !late.isEmpty {
      try transaction.run([PostgresStatement(Self.lockRows, .integers(late.compactMap { judgements[$0].row }))])
      found = try find(late.map { names[$0] }, transaction)
      for index in late { judgements[index] = judge(requests[index], found[names[index]]) }
    }
    return try raiseLeases(judgements, transaction, isLast: isLast)
  }

  private func judge(_ request: StoreRequest, _ found: Result<SessionRow, StoreError>?) -> Judgement {
    let row: SessionRow
    switch found {
    case nil: return .answered(.missing)
    case .failure(let error)?: return .answered(.refused(error))
    case .success(let found)?: row = found
    }
    let isElsewhere = row.holder != 0 && row.holder != node
    switch request {
    case .load(_, let tokenHash, let takeover):
      guard row.state.admits(tokenHash, at: clock.wall()) else { return .answered(.denied(row.state)) }
      return isElsewhere && !takeover.includes(row.holder) ? .answered(.held(by: row.holder)) : .loads(row)
    case .resume(let resume):
      switch row.state.readmission(of: resume, isHeldHere: row.holder == node) {
      case .denied: return .answered(.denied(row.state))
      case .stale: return .answered(.stale)
      case .mustLoad: return .answered(isElsewhere ? .held(by: row.holder) : .mustLoad)
      case .resting(let place): return .resumes(row, resume, place)
      }
    default: preconditionFailure("a write is not judged")
    }
  }

  // MARK: Finding

  /// The sessions' own rows, by their names.
  private func find(_ names: [String], _ transaction: PostgresTransaction) throws(PostgresError) -> Found {
    // A name that no session can have is none that the database could be asked for.
    let names = names.filter { !$0.utf8.contains(0) }
    guard !names.isEmpty else { return [:] }
    var found: Found = [:]
    for row in try transaction.run(PostgresStatement(Self.selectSessions, .texts(names))).rows {
      let name = row.text(0)
      found[name] = Result { try decode(row, name) }.mapError {
        StoreError("The session \(name) is damaged: \($0)", isGlobal: false)
      }
    }
    let persons = Set(found.values.flatMap { (try? $0.get())?.persons ?? [] })
    guard !persons.isEmpty else { return found }
    let signOuts = try signOuts(of: persons, transaction)
    return found.mapValues { result in
      result.map { row in
        var row = row
        row.state.revoke { person in signOuts[PersonID(person.identity)].map { person.since <= $0.mark } ?? false }
        return row
      }
    }
  }

  private func decode(_ row: PostgresResult.Row, _ name: String) throws -> SessionRow {
    var rest: SessionState.Rest?
    if let epoch = row.optionalText(15), let hash = row.optionalText(16), row.flag(18) {
      rest = SessionState.Rest(epoch: epoch, viewHash: hash, program: row.optionalText(17))
    }
    guard let transactions = UInt64(exactly: row.integer(8)) else {
      throw StoreError("The session has done \(row.integer(8)) transactions.", isGlobal: false)
    }
    return SessionRow(
      identity: SessionIdentity(id: name, app: row.text(3), parameters: row.optionalText(4)),
      lease: SessionLease(row: Int64(row.integer(1)), number: Int64(row.integer(2))), holder: row.integer(13),
      state: SessionState(
        revision: row.integer(5), clients: try [ClientRecord](json: row.text(9), numbers: row.optionalText(10)),
        invitations: try [Invitation](json: row.text(11)), hasActed: row.flag(12), isHeld: row.integer(13) != 0,
        alone: .seconds(max(time.now(clock) - row.integer(14), 0)), rest: rest),
      tree: TreeSnapshot(root: row.integer(6), lastID: row.integer(7), transactions: transactions, nodes: [:]))
  }

  // MARK: Taking

  /// What belongs to sessions beside their own rows, by these.
  private struct Parts {
    var nodes: [Int64: [PostgresResult.Row]] = [:]
    var nacks: [Int64: [SessionCut.Refusal]] = [:]
    var crashes: [Int64: [StoredSession.Crash]] = [:]
  }

  private func raiseLeases(
    _ judgements: [Judgement], _ transaction: PostgresTransaction, isLast: Bool
  ) throws(PostgresError) -> [StoreResult] {
    let parts = try readParts(judgements, transaction)
    var (taken, resumed) = ([StoredSession](), [RestingSession]())
    let results = judgements.map { judgement -> StoreResult in
      switch judgement {
      case .answered(let result): return result
      case .loads(let row):
        do {
          let session = try session(row, parts)
          taken.append(session)
          return .loaded(session)
        } catch {
          return .refused(StoreError("The session \(row.identity.id) is damaged: \(error)", isGlobal: false))
        }
      case .resumes(let row, let resume, let place):
        let session = resting(row, resume, place, parts)
        resumed.append(session)
        return .resting(session)
      }
    }
    var statements: [PostgresStatement] = []
    // From here on no other node can write them; and what is shown from here on is counted anew if it is lost.
    if !taken.isEmpty {
      statements.append(PostgresStatement(Self.takeSessions, taking(taken.map { ($0.lease, $0.state) })))
    }
    if !resumed.isEmpty {
      let parameters = taking(resumed.map { ($0.lease, $0.state) }) + [.integer(time.now(clock))]
      statements.append(PostgresStatement(Self.resumeSessions, parameters))
    }
    try transaction.run(statements, isLast: isLast)
    return results
  }

  private func readParts(
    _ judgements: [Judgement], _ transaction: PostgresTransaction
  ) throws(PostgresError) -> Parts {
    let loaded = judgements.compactMap { if case .loads(let row) = $0 { row.lease.row } else { nil } }
    let all = judgements.compactMap(\.row)
    var parts = Parts()
    guard !all.isEmpty else { return parts }
    let whole = [
      PostgresStatement(Self.selectNodes, .integers(loaded)), PostgresStatement(Self.selectCrashes, .integers(loaded)),
    ]
    let results = try transaction.run(
      [PostgresStatement(Self.selectNacks, .integers(all))] + (loaded.isEmpty ? [] : whole))
    for row in results[0].rows {
      let code = Nack.Code(rawValue: row.text(3)) ?? .failed
      let nack = Nack(number: row.integer(2), code: code, message: row.text(4))
      parts.nacks[Int64(row.integer(0)), default: []].append(SessionCut.Refusal(client: row.integer(1), nack: nack))
    }
    guard !loaded.isEmpty else { return parts }
    for row in results[1].rows { parts.nodes[Int64(row.integer(0)), default: []].append(row) }
    for row in results[2].rows {
      let crash = StoredSession.Crash(client: row.integer(1), number: row.integer(2), count: row.integer(3))
      parts.crashes[Int64(row.integer(0)), default: []].append(crash)
    }
    return parts
  }

  private func session(_ row: SessionRow, _ parts: Parts) throws -> StoredSession {
    var tree = row.tree
    for node in parts.nodes[row.lease.row] ?? [] {
      tree.nodes[node.integer(1)] = try NodeSnapshot(
        id: node.integer(1), type: node.text(2), version: node.integer(3), base: node.optionalText(4),
        changes: node.byteArrays(5), childrenJSON: node.optionalText(6), effectsJSON: node.optionalText(7))
    }
    return StoredSession(
      identity: row.identity, lease: row.nextLease, state: row.state, tree: tree,
      nacks: parts.nacks[row.lease.row] ?? [], crashes: parts.crashes[row.lease.row] ?? [])
  }

  private func resting(_ row: SessionRow, _ resume: SessionResume, _ place: Int, _ parts: Parts) -> RestingSession {
    var state = row.state
    state.clients[place].attempt = resume.attempt
    state.isHeld = true
    state.alone = .zero
    let nacks = (parts.nacks[row.lease.row] ?? []).filter { $0.client == resume.clientID }
    return RestingSession(
      identity: row.identity, lease: row.nextLease, state: state, client: state.clients[place],
      nacks: nacks.map(\.nack))
  }

  /// The parameters 1 to 5: the process, and the rows, the leases, the clients and the invitations.
  private func taking(_ sessions: [(lease: SessionLease, state: SessionState)]) -> [PostgresParameter] {
    [
      .integer(node), .integers(sessions.map(\.lease.row)), .integers(sessions.map(\.lease.number)),
      .byteArrays(sessions.map(\.state.clientsJSON)),
      .byteArrays(sessions.map { Array($0.state.invitationsJSON.utf8) }),
    ]
  }

  private static let selectSessions = PostgresQuery(
    """
    SELECT sid, id, lease, app, parameters, rev, root, last_node, transactions, clients, numbers, invitations, acted, holder, seen,
      epoch, view_hash, program, timeline = \(PostgresBatch.timeline) FROM rib_session WHERE sid = ANY ($1::text[])
    """)
  private static let lockRows = PostgresQuery(
    "SELECT id FROM rib_session WHERE id = ANY ($1::int8[]) ORDER BY id FOR UPDATE")
  private static let selectNodes = PostgresQuery(
    """
    SELECT session, id, type, version, state, changes, children, effects FROM rib_riblet WHERE session = ANY ($1::int8[])
    """)
  private static let selectNacks = PostgresQuery(
    "SELECT session, client, n, code, message FROM rib_nack WHERE session = ANY ($1::int8[]) ORDER BY session, client, n"
  )
  private static let selectCrashes = PostgresQuery(
    "SELECT session, client, n, count FROM rib_crash WHERE session = ANY ($1::int8[])")
  private static let taken =
    "unnest($2::int8[], $3::int8[], $4::bytea[], $5::bytea[]) AS i(id, lease, clients, invitations)"
  private static let takeSessions = PostgresQuery(
    """
    UPDATE rib_session s SET lease = i.lease, version = 0, holder = $1::int8, clients = i.clients, numbers = NULL,
      invitations = i.invitations, epoch = NULL, view_hash = NULL FROM \(taken) WHERE s.id = i.id
    """)
  private static let resumeSessions = PostgresQuery(
    """
    UPDATE rib_session s SET lease = i.lease, version = 0, holder = $1::int8, clients = i.clients, numbers = NULL,
      invitations = i.invitations, seen = $6::int8 FROM \(taken) WHERE s.id = i.id
    """)
}

extension SessionRow {
  /// The persons behind its clients.
  fileprivate var persons: [PersonID] { state.clients.compactMap(\.person).map { PersonID($0.identity) } }
}
