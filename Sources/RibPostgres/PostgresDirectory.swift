package import RibCore
package import RibServer

/// The nodes of a cluster, in the table `rib_node`.
///
/// `@unchecked Sendable`: one thread at a time uses its connection, as `ClusterDirectory` has it: `Cluster` calls it in jobs of a serial queue of its
/// own, and before the first of these jobs is added.
package final class PostgresDirectory: ClusterDirectory, @unchecked Sendable {
  /// For how long the server may take for a beat, in milliseconds: one that fails, and the next one, have to fit into what is left of the time
  /// that the last beat counts, 2.9 s, if the database can be connected to at once.
  private static let patienceWithBeats = 800
  /// The same for what comes between two beats.
  private static let patienceBetweenBeats = 1500

  private let client: PostgresClient

  /// A directory that connects with its first use.
  ///
  /// - Parameter url: a connection string or URI of libpq, of a database whose tables are there.
  package init(url: String) { client = PostgresClient(url, connectSeconds: 2) }

  package func beat(_ node: ClusterNode) throws(StoreError) -> [ClusterNode] {
    let statements = [
      PostgresStatement(
        Self.noteBeat, .integer(node.id), .text(node.program), .flag(node.isDraining), .text(node.address),
        .text(node.secret), .integer(node.mark)),
      PostgresStatement(Self.selectNodes),
    ]
    let rows = try client.transact(patience: Self.patienceWithBeats) { transaction throws(PostgresError) in
      try transaction.run(statements, isLast: true)[1]
    }.rows
    return rows.map { row in
      ClusterNode(
        id: row.integer(0), beat: row.integer(1), program: row.optionalText(2) ?? "", isDraining: row.flag(3),
        address: row.text(4), secret: row.text(5), isSucceeded: row.flag(6))
    }
  }

  package func voided(among leases: [SessionLease]) throws(StoreError) -> [SessionLease] {
    guard !leases.isEmpty else { return [] }
    let select = PostgresStatement(
      Self.selectVoided, .integers(leases.map(\.row)), .integers(leases.map(\.number)))
    let rows = try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run([select], isLast: true)[0]
    }.rows
    return rows.map { SessionLease(row: Int64($0.integer(0)), number: Int64($0.integer(1))) }
  }

  package func leases(ofSessions ids: [String], heldBy node: Int) throws(StoreError) -> [String: SessionLease] {
    // A name that no session can have is none that the database could be asked for.
    let select = PostgresStatement(Self.selectHeld, .texts(ids.filter { !$0.utf8.contains(0) }), .integer(node))
    let rows = try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run([select], isLast: true)[0]
    }.rows
    let leases = rows.map { ($0.text(0), SessionLease(row: Int64($0.integer(1)), number: Int64($0.integer(2)))) }
    return Dictionary(leases) { first, _ in first }
  }

  package func free(_ leases: [SessionLease], heldBy node: Int) throws(StoreError) -> Int {
    let statement = PostgresStatement(
      Self.freeHeld, .integer(node), .integers(leases.map(\.row)), .integers(leases.map(\.number)))
    return try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run([statement], isLast: true)[0]
    }.first?.integer(0) ?? 0
  }

  package func free(sessionsOf nodes: [ClusterNode], limit: Int) throws(StoreError) -> Int {
    let names = [
      PostgresParameter.integers(nodes.map { Int64($0.id) }), .integers(nodes.map { Int64($0.beat) }),
    ]
    let statements = [
      PostgresStatement(Self.freeSessions, names + [.integer(limit)]), PostgresStatement(Self.deleteNodes, names),
    ]
    return try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run(statements, isLast: true)[0]
    }.first?.integer(0) ?? 0
  }

  package func freeOrphans(limit: Int) throws(StoreError) -> Int {
    let statement = PostgresStatement(Self.freeOrphans, .integer(limit))
    return try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run([statement], isLast: true)[0]
    }.first?.integer(0) ?? 0
  }

  package func values(named names: [String]) throws(StoreError) -> [NamedValue] {
    guard !names.isEmpty else { return [] }
    let select = PostgresStatement(Self.selectValues, .texts(names))
    let rows = try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run([select], isLast: true)[0]
    }.rows
    return rows.map { NamedValue(name: $0.text(0), version: $0.integer(1), value: $0.bytes(2) ?? []) }
  }

  package func write(
    _ value: NamedValue, number: Int, of node: Int
  ) throws(StoreError) -> (found: NamedValue, wasWritten: Bool) {
    let statements = [
      PostgresStatement(
        Self.writeValue, .text(value.name), .integer(value.version), .bytes(value.value), .integer(node),
        .integer(number)),
      PostgresStatement(Self.selectWritten, .text(value.name), .integer(node)),
    ]
    let row = try client.transact(patience: Self.patienceBetweenBeats) { transaction throws(PostgresError) in
      try transaction.run(statements, isLast: true)[1]
    }.first
    guard let row else { throw StoreError("The cluster value \(value.name) is not in the database after a write.") }
    let found = NamedValue(name: value.name, version: row.integer(0), value: row.bytes(1) ?? [])
    return (found, row.integer(2) == number)
  }

  package func close() { client.close() }

  /// A node that was taken for dead, and forgotten, is there again.
  private static let noteBeat = PostgresQuery(
    """
    INSERT INTO rib_node AS n (id, seen, beat, program, is_draining, address, secret, mark) OVERRIDING SYSTEM VALUE
      SELECT $1::int8, now, (extract(epoch FROM clock_timestamp()) * 1000000)::int8, $2::text, $3::bool, $4::text, $5::text, $6::int8
        FROM rib_time
      ON CONFLICT (id) DO UPDATE SET seen = greatest(n.seen, excluded.seen), beat = excluded.beat, program = excluded.program,
        is_draining = excluded.is_draining, is_succeeded = false, address = excluded.address, secret = excluded.secret
    """)
  private static let selectNodes = PostgresQuery(
    "SELECT id, beat, program, is_draining, address, secret, is_succeeded FROM rib_node ORDER BY id")
  private static let selectVoided = PostgresQuery(
    """
    SELECT i.id, i.lease FROM unnest($1::int8[], $2::int8[]) AS i(id, lease)
      LEFT JOIN rib_session s ON s.id = i.id WHERE s.lease IS DISTINCT FROM i.lease
    """)
  /// The node may only be silent: with the higher lease it cannot write any more what nobody holds.
  ///
  /// Several nodes free at a time.
  private static let freeSessions = PostgresQuery(
    freeing(
      """
      SELECT s.id, n.seen FROM rib_node n JOIN unnest($1::int8[], $2::int8[]) AS i(id, beat) ON (n.id, n.beat) = (i.id, i.beat)
        JOIN rib_session s ON s.holder = n.id AND s.holder <> 0 LIMIT $3::int8 FOR UPDATE OF s SKIP LOCKED
      """))
  private static let freeOrphans = PostgresQuery(
    freeing(
      """
      SELECT s.id, s.seen FROM rib_session s WHERE s.holder <> 0 AND NOT EXISTS (SELECT 1 FROM rib_node n WHERE n.id = s.holder)
        LIMIT $1::int8 FOR UPDATE OF s SKIP LOCKED
      """))
  private static let selectHeld = PostgresQuery(
    "SELECT sid, id, lease FROM rib_session WHERE sid = ANY($1::text[]) AND holder = $2::int8 AND version = 0")
  /// Its client was there until now: who has asked for it was.
  private static let freeHeld = PostgresQuery(
    freeing(
      """
      SELECT s.id, n.seen FROM rib_session s JOIN unnest($2::int8[], $3::int8[]) AS i(id, lease) ON (s.id, s.lease) = (i.id, i.lease)
        JOIN rib_node n ON n.id = s.holder WHERE s.holder = $1::int8 AND s.version = 0 FOR UPDATE OF s SKIP LOCKED
      """))
  /// A node that was only silent may make its last write of a value again: that is remembered until a thousand others have begun.
  private static let deleteNodes = PostgresQuery(
    """
    WITH gone AS (
      DELETE FROM rib_value_write w WHERE NOT EXISTS (SELECT 1 FROM rib_node WHERE id = w.node)
        AND w.node < (SELECT max(id) FROM rib_node) - 1000)
    DELETE FROM rib_node n USING unnest($1::int8[], $2::int8[]) AS i(id, beat) WHERE (n.id, n.beat) = (i.id, i.beat)
      AND NOT EXISTS (SELECT 1 FROM rib_session WHERE holder = n.id AND holder <> 0)
    """)

  private static let selectValues = PostgresQuery(
    "SELECT name, version, value FROM rib_value WHERE name = ANY($1::text[])")
  /// A write that was made already finds another version.
  private static let writeValue = PostgresQuery(
    """
    WITH written AS (
      INSERT INTO rib_value AS v (name, version, value) VALUES ($1::text, $2::int8 + 1, $3::bytea)
        ON CONFLICT (name) DO UPDATE SET version = excluded.version, value = excluded.value WHERE v.version = $2::int8
        RETURNING v.name)
    INSERT INTO rib_value_write AS w (name, node, number) SELECT name, $4::int8, $5::int8 FROM written
      ON CONFLICT (name, node) DO UPDATE SET number = excluded.number
    """)
  private static let selectWritten = PostgresQuery(
    """
    SELECT v.version, v.value, coalesce(w.number, 0)::int8 FROM rib_value v LEFT JOIN rib_value_write w ON w.name = v.name AND w.node = $2::int8
      WHERE v.name = $1::text
    """)

  private static func freeing(_ found: String) -> String {
    """
    WITH found AS (\(found)),
      freed AS (
        UPDATE rib_session s SET lease = lease + 1, version = 0, holder = 0, seen = found.seen FROM found WHERE s.id = found.id
          RETURNING s.id)
    SELECT count(*) FROM freed
    """
  }
}
