import RibCore
package import RibServer
package import Wire

/// Keeps sessions in PostgreSQL, where the nodes of a cluster share them.
///
/// A commit is one transaction for all that was asked for: statements over arrays, in one round trip, however many sessions there
/// are. It is acknowledged when it is on disk, and on the standby that `synchronous_standby_names` names.
///
/// **Who may write** is decided by the database alone, in the transaction: each write shows the session's lease and the version of its cut. No clock
/// and no list of nodes is needed for that.
///
/// **An unknown outcome** (the connection is lost, or there is no answer within five seconds) is an error; whoever has asked asks
/// again with what has changed since, on another connection. What was sent before may be run late:
///
/// - a write has a lesser version then, and changes nothing;
/// - what makes a session, takes it or forgets it is not committed with its first statements, but behind their answers, which nobody hears any more. If the
///   commit was sent, the session is locked until it is made, and cannot be made or taken again before. No version would fence that: a creation
///   that comes late would bring back a session that has ended since.
///
/// `@unchecked Sendable`: the connection, the node's number and the time are used by ``begin(_:)``, ``perform(_:)``, ``known(of:)`` and
/// ``close()``, which one thread calls at a time, as `SessionStore` has it; ``isShared(since:)``, which any thread calls, uses nothing of it.
package final class PostgresStore: SessionStore, @unchecked Sendable {
  package let durability = Welcome.Durability.disk
  /// A node cannot tell a store that is down from one that is only out of its own reach: in the second case others take its sessions over.
  package let outage = Outage.waits

  /// The database.
  let url: String
  let clock: TimeSource
  private let client: PostgresClient
  /// This process, as ``begin(_:)`` has it; 0 before.
  private(set) var node = 0
  /// The time that sessions age by.
  var time: PostgresTime

  /// Connects, and makes the tables or brings them up to date.
  ///
  /// - Parameters:
  ///   - url: a connection string or URI of libpq.
  ///   - clock: what tells the time.
  /// - Throws: ``StoreError`` that says what to do.
  package init(url: String, clock: TimeSource = .system) throws(StoreError) {
    self.url = url
    client = PostgresClient(url)
    self.clock = clock
    time = PostgresTime(0, clock)
    let connection = try client.connected()
    do throws(PostgresError) {
      try Self.migrate(connection)
      let rows = try connection.run([PostgresStatement(Self.selectTime)])[0]
      time = PostgresTime(rows.first?.integer(0) ?? 0, clock)
    } catch {
      throw error.storeError
    }
  }

  /// Other nodes may use it at any time.
  package func isShared(since time: UInt64) -> Bool { true }

  @discardableResult
  package func begin(_ start: StoreStart) throws(StoreError) -> Int {
    node = try transact { transaction throws(PostgresError) in
      // The time stands still while no node is there.
      let now = try Self.storedTime(transaction)
      time = PostgresTime(now, clock)
      try transaction.run([
        PostgresStatement(Self.notePredecessors, .integers(start.predecessors.map(Int64.init)))
      ])
      // Of what clients have seen since the copy was made, nothing is here.
      if start.isRestored { try transaction.run([PostgresStatement(Self.forgetRests)]) }
      try transaction.run(
        start.crashes.map {
          PostgresStatement(Self.insertCrash, .text($0.sessionID), .integer($0.client), .integer($0.number))
        })
      return try transaction.run(PostgresStatement(Self.insertNode, .integer(now), .integer(start.mark))).first?
        .integer(0) ?? 0
    }
    return node
  }

  package func known(of entry: FlightEntry) -> (app: String, count: Int)? {
    let select = PostgresStatement(
      Self.selectCrash, .text(entry.sessionID), .integer(entry.client), .integer(entry.number))
    let row = try? transact { transaction throws(PostgresError) in try transaction.run(select).first }
    return row.map { ($0.text(0), $0.integer(1)) }
  }

  package func close() {
    defer { client.close() }
    guard node > 0 else { return }
    let end = PostgresStatement(Self.deleteNode, .integer(node), .integer(time.now(clock)))
    _ = try? transact { transaction throws(PostgresError) in _ = try transaction.run(end) }
  }

  package func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    try transact { transaction throws(PostgresError) in try self.perform(requests, transaction) }
  }

  func transact<Value>(
    _ body: (PostgresTransaction) throws(PostgresError) -> Value
  ) throws(StoreError) -> Value {
    // What was compared with a time that was not committed has not happened.
    let before = time
    return try client.transact(body) { time = before }
  }

  /// The number of the server's process for the connection; 0 if there is none.
  var backend: Int { client.backend }

  private static let forgetRests = PostgresQuery(
    "UPDATE rib_session SET epoch = NULL, view_hash = NULL WHERE epoch IS NOT NULL")
  /// A process that had another database has no mark in this one.
  private static let notePredecessors = PostgresQuery(
    "UPDATE rib_node SET is_succeeded = true WHERE mark = ANY($1::int8[]) AND mark <> 0")
  private static let insertNode = PostgresQuery(
    "INSERT INTO rib_node (seen, mark) VALUES ($1::int8, $2::int8) RETURNING id")
  private static let insertCrash = PostgresQuery(
    """
    INSERT INTO rib_crash (session, client, n, count)
      SELECT id, $2::int8, $3::int8, 1 FROM rib_session WHERE sid = $1::text
      ON CONFLICT (session, client, n) DO UPDATE SET count = rib_crash.count + 1
    """)
  private static let selectCrash = PostgresQuery(
    """
    SELECT app, count FROM rib_session s JOIN rib_crash c ON c.session = s.id AND c.client = $2::int8 AND c.n = $3::int8
      WHERE sid = $1::text
    """)
  /// Its sessions are free, from now on.
  private static let deleteNode = PostgresQuery(
    """
    WITH free AS (UPDATE rib_session SET holder = 0, seen = $2::int8 WHERE holder = $1::int8 AND holder <> 0)
      DELETE FROM rib_node WHERE id = $1::int8
    """)
}

extension PostgresStore {
  private func perform(
    _ requests: [StoreRequest], _ transaction: PostgresTransaction
  ) throws(PostgresError) -> [StoreResult] {
    let locked = try lock(requests, transaction)
    var results: [StoreResult] = []
    results.reserveCapacity(requests.count)
    var (batch, reads) = (PostgresBatch(node: node, now: time.now(clock)), PostgresReads())
    for request in requests {
      // Writes of several sessions are made together, and so are reads behind them; whatever else is asked for comes behind those before it.
      if reads.isEmpty && batch.take(request) || reads.accept(request) { continue }
      results += try batch.write(transaction)
      results += try read(reads, locked, transaction)
      (batch, reads) = (PostgresBatch(node: node, now: time.now(clock)), PostgresReads())
      if !batch.take(request), !reads.accept(request) { results.append(try perform(request, transaction)) }
    }
    results += try batch.write(transaction, isLast: reads.isEmpty)
    return results + (try read(reads, locked, transaction, isLast: true))
  }

  private func perform(
    _ request: StoreRequest, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    switch request {
    case .create, .write: preconditionFailure("writes are made together")
    case .load, .resume: preconditionFailure("reads are made together")
    case .remove(_, let lease): try remove(lease, transaction)
    case .noteAbsence(_, let lease): try noteAbsence(lease, transaction)
    case .findExpired(let expiry): try findExpired(expiry, transaction)
    case .forget(let row, let expiry): try forget(row, expiry, transaction)
    case .signOut(let revocation, let keeping): try signOut(revocation, keeping, transaction)
    case .findRevocations(let last): try findRevocations(after: last, transaction)
    // The database does it by itself.
    case .tidy: .tidied(isDone: true)
    case .probe: try probe(transaction)
    case .measure: try measure(transaction)
    }
  }
}
