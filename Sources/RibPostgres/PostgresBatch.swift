import RibCore
import RibServer
import Wire

/// Writes of several sessions that are made by the same statements, over arrays.
///
/// Each session is in it once. Sign-outs and quotas are compared for all of them together: ``PostgresAdmission``.
struct PostgresBatch {
  let node: Int
  /// The store's time.
  let now: Int

  private var requests: [StoreRequest] = []
  private var rows: Set<Int64> = []
  private var names: Set<ExactString> = []

  /// An empty batch.
  ///
  /// - Parameters:
  ///   - node: the process that writes.
  ///   - now: the store's time.
  init(node: Int, now: Int) { (self.node, self.now) = (node, now) }

  /// Takes a request in, if it is a write, and the first one of its session.
  ///
  /// - Parameter request: what is asked for.
  /// - Returns: false if it is to be done in another way, behind the batch.
  mutating func take(_ request: StoreRequest) -> Bool {
    switch request {
    case .write(let lease, _): guard rows.insert(lease.row).inserted else { return false }
    case .create(let identity, _): guard names.insert(ExactString(identity.id)).inserted else { return false }
    default: return false
    }
    requests.append(request)
    return true
  }

  /// Writes all that may be written.
  ///
  /// - Parameters:
  ///   - transaction: what it belongs to.
  ///   - isLast: whether to commit behind it.
  /// - Returns: a result for each request, in order.
  /// - Throws: ``PostgresError``.
  func write(_ transaction: PostgresTransaction, isLast: Bool = false) throws(PostgresError) -> [StoreResult] {
    var admission = try PostgresAdmission(requests, transaction)
    let refusals = requests.map { admission.refusal(of: $0) }
    var (writes, creations) = ([(SessionLease, SessionCut)](), [(SessionIdentity, SessionCut)]())
    for (request, refusal) in zip(requests, refusals) where refusal == nil {
      if case .write(let lease, let cut) = request { writes.append((lease, cut)) }
      if case .create(let identity, let cut) = request { creations.append((identity, cut)) }
    }
    // Sorted, so that the batches of two nodes seldom wait for each other.
    writes.sort { $0.0.row < $1.0.row }
    creations.sort { $0.0.id < $1.0.id }
    let heads = heads(of: writes)
    let hasCreations = !creations.isEmpty
    // Two statements lock rows in two turns: of what both write, all are locked in order before.
    let lock = heads.count < 2 ? [] : [PostgresStatement(Self.lockSessions, .integers(writes.map(\.0.row)))]
    var statements = lock + heads + PostgresTree(writes).statements
    if hasCreations { statements.append(creation(creations)) }
    // The statement that makes sessions is not committed in its own message, as it may be run late: PostgresStore says more.
    let results = try transaction.run(statements, isLast: isLast && !hasCreations)
    var written: Set<Int64> = []
    for result in results.dropFirst(lock.count).prefix(heads.count) {
      for row in result.rows { written.insert(Int64(row.integer(0))) }
    }
    var leases: [ExactString: SessionLease] = [:]
    if hasCreations, let result = results.last {
      for row in result.rows { leases[row.text(1)] = SessionLease(row: Int64(row.integer(0)), number: 1) }
      let created = creations.compactMap { identity, cut in leases[identity.id].map { ($0, cut) } }
      try transaction.run(PostgresTree(created).statements, isLast: isLast)
    }
    return zip(requests, refusals).map { request, refusal in
      if let refusal { return refusal }
      return switch request {
      case .write(let lease, _): written.contains(lease.row) ? .written(lease) : .lost
      case .create(let identity, _): leases[identity.id].map { .written($0) } ?? .lost
      default: .lost
      }
    }
  }

  /// The statements that write the sessions' own rows: the progress of most, and all columns of the others.
  private func heads(of writes: [(SessionLease, SessionCut)]) -> [PostgresStatement] {
    let progress = writes.filter(\.1.isProgress), whole = writes.filter { !$0.1.isProgress }
    var statements: [PostgresStatement] = []
    if !progress.isEmpty {
      let numbers = progress.map { _, cut -> [UInt8]? in
        var numbers: [UInt8] = []
        cut.state.writeNumbers(into: &numbers)
        return numbers
      }
      statements.append(
        PostgresStatement(Self.updateProgress, Self.leases(progress) + Self.trees(progress) + [.byteArrays(numbers)]))
    }
    if !whole.isEmpty {
      statements.append(
        PostgresStatement(
          Self.updateSession, Self.leases(whole) + Self.trees(whole) + states(whole.map(\.1)) + [.integer(node)]))
    }
    return statements
  }

  private func creation(_ creations: [(SessionIdentity, SessionCut)]) -> PostgresStatement {
    PostgresStatement(
      Self.insertSession,
      [
        .texts(creations.map(\.0.id)), .texts(creations.map(\.0.app)),
        .byteArrays(creations.map { $0.0.parameters.map { Array($0.utf8) } }), .integers(creations.map(\.1.version)),
      ] + Self.trees(creations.map { (SessionLease(row: 0, number: 1), $0.1) }) + states(creations.map(\.1))
        + [.integer(node), .texts(creations.map(\.0.place))])
  }

  /// The parameters 1 to 3: the row, the lease and the version.
  private static func leases(_ writes: [(SessionLease, SessionCut)]) -> [PostgresParameter] {
    [.integers(writes.map(\.0.row)), .integers(writes.map(\.0.number)), .integers(writes.map(\.1.version))]
  }

  /// The parameters of the tree: the revision, the root, the last id and the number of transactions.
  private static func trees(_ writes: [(SessionLease, SessionCut)]) -> [PostgresParameter] {
    [
      .integers(writes.map { Int64($0.1.state.revision) }), .integers(writes.map { Int64($0.1.tree.root) }),
      .integers(writes.map { Int64($0.1.tree.lastID) }), .integers(writes.map { Int64($0.1.tree.transactions) }),
    ]
  }

  /// The parameters of `SessionState`, in column order.
  private func states(_ cuts: [SessionCut]) -> [PostgresParameter] {
    [
      .byteArrays(cuts.map(\.state.clientsJSON)), .byteArrays(cuts.map { Array($0.state.invitationsJSON.utf8) }),
      .flags(cuts.map(\.state.hasActed)), .flags(cuts.map(\.state.isHeld)),
      .integers(cuts.map { Int64(now) - $0.state.alone.components.seconds }), .texts(cuts.map(\.state.rest?.epoch)),
      .texts(cuts.map(\.state.rest?.viewHash)), .texts(cuts.map(\.state.rest?.program)),
    ]
  }

  private static let lockSessions = PostgresQuery(
    "SELECT id FROM rib_session WHERE id = ANY ($1::int8[]) ORDER BY id FOR NO KEY UPDATE")
  private static let updateProgress = PostgresQuery(
    """
    UPDATE rib_session s SET version = i.version, rev = i.rev, root = i.root, last_node = i.last_node,
        transactions = i.transactions, numbers = i.numbers
      FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::bytea[])
        AS i(id, lease, version, rev, root, last_node, transactions, numbers)
      WHERE s.id = i.id AND s.lease = i.lease AND s.version <= i.version RETURNING s.id
    """)
  private static let updateSession = PostgresQuery(
    """
    UPDATE rib_session s SET version = i.version, rev = i.rev, root = i.root, last_node = i.last_node,
        transactions = i.transactions, numbers = NULL, clients = i.clients, invitations = i.invitations, acted = i.acted,
        holder = CASE WHEN i.held THEN $16::int8 ELSE 0 END, seen = i.seen, epoch = i.epoch, view_hash = i.view_hash,
        program = i.program, timeline = \(Self.timeline)
      FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::bytea[], $9::bytea[],
          $10::bool[], $11::bool[], $12::int8[], $13::text[], $14::text[], $15::text[])
        AS i(id, lease, version, rev, root, last_node, transactions, clients, invitations, acted, held, seen, epoch, view_hash, program)
      WHERE s.id = i.id AND s.lease = i.lease AND s.version <= i.version RETURNING s.id
    """)
  private static let insertSession = PostgresQuery(
    """
    INSERT INTO rib_session AS s (sid, app, parameters, lease, version, rev, root, last_node, transactions, clients, invitations,
        acted, holder, seen, epoch, view_hash, program, place, timeline)
      SELECT i.sid, i.app, i.parameters, 1, i.version, i.rev, i.root, i.last_node, i.transactions, i.clients, i.invitations,
        i.acted, CASE WHEN i.held THEN $17::int8 ELSE 0 END, i.seen, i.epoch, i.view_hash, i.program, i.place, \(Self.timeline)
        FROM unnest($1::text[], $2::text[], $3::bytea[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::bytea[],
            $10::bytea[], $11::bool[], $12::bool[], $13::int8[], $14::text[], $15::text[], $16::text[], $18::text[])
          AS i(sid, app, parameters, version, rev, root, last_node, transactions, clients, invitations, acted, held, seen, epoch,
            view_hash, program, place)
      ON CONFLICT (sid) DO UPDATE SET version = excluded.version, rev = excluded.rev, root = excluded.root,
          last_node = excluded.last_node, transactions = excluded.transactions, numbers = NULL, clients = excluded.clients,
          invitations = excluded.invitations, acted = excluded.acted, holder = excluded.holder, seen = excluded.seen,
          epoch = excluded.epoch, view_hash = excluded.view_hash, program = excluded.program, timeline = excluded.timeline
        WHERE s.lease = 1 AND s.holder IN (0, $17::int8) AND s.version <= excluded.version
      RETURNING s.id, s.sid
    """)
  /// The database's timeline: a standby that is promoted begins another one.
  static let timeline = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
}

extension SessionCut {
  var hasPersons: Bool { !persons.isEmpty }
}
