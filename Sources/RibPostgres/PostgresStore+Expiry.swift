import RibServer

// The time, and sessions that no client comes back to.

extension PostgresStore {
  static let selectTime = PostgresQuery("SELECT now FROM rib_time")

  /// The time that the table `rib_time` has.
  static func storedTime(_ transaction: PostgresTransaction) throws(PostgresError) -> Int {
    try transaction.run(PostgresStatement(selectTime)).first?.integer(0) ?? 0
  }

  /// Writes the time.
  func probe(_ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    let stored = try Self.storedTime(transaction)
    let change = time.compare(with: stored, clock)
    let now = time.now(clock)
    try transaction.run([PostgresStatement(Self.noteTime, .integer(now))])
    return change.map { .notCounted($0) } ?? .noted
  }

  func measure(_ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    let row = try transaction.run(PostgresStatement(Self.measure)).first
    return .measured(
      StoreMeasure(sessionCount: row?.integer(0) ?? 0, bytes: ["database": row?.integer(1) ?? 0]))
  }

  func findExpired(_ expiry: SessionExpiry, _ transaction: PostgresTransaction) throws(PostgresError) -> StoreResult {
    let (acted, untouched) = try limits(expiry, transaction)
    let result = try transaction.run(
      PostgresStatement(Self.findExpired, .integer(untouched), .integer(acted), .integer(expiry.limit)))
    return .expired(result.rows.map { Int64($0.integer(0)) })
  }

  /// When a client must have been seen at the latest: of a session that was acted on, and of one that was not touched.
  private func limits(
    _ expiry: SessionExpiry, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> (acted: Int, untouched: Int) {
    let now = time.earliest(try Self.storedTime(transaction), clock)
    return (now - Int(expiry.acted.components.seconds), now - Int(expiry.untouched.components.seconds))
  }

  func forget(
    _ row: Int64, _ expiry: SessionExpiry, _ transaction: PostgresTransaction
  ) throws(PostgresError) -> StoreResult {
    let (acted, untouched) = try limits(expiry, transaction)
    let result = try transaction.run(
      PostgresStatement(Self.forget, .integer(row), .integer(acted), .integer(untouched)))
    return .forgotten(result.first.map { ForgottenSession(id: $0.text(0), app: $0.text(1)) })
  }

  /// As many sessions as the database has estimated last: to count them would take it as long as many commits.
  private static let measure = PostgresQuery(
    """
    SELECT greatest(reltuples, 0)::int8, pg_database_size(current_database())
    FROM pg_class WHERE oid = 'rib_session'::regclass
    """)
  private static let noteTime = PostgresQuery("UPDATE rib_time SET now = greatest(now, $1::int8)")
  private static let findExpired = PostgresQuery(
    """
    (SELECT id FROM rib_session WHERE holder = 0 AND acted = false AND seen < $1::int8 ORDER BY seen LIMIT $3::int8)
    UNION ALL
    (SELECT id FROM rib_session WHERE holder = 0 AND acted = true AND seen < $2::int8 ORDER BY seen LIMIT $3::int8)
    LIMIT $3::int8
    """)
  private static let forget = PostgresQuery(
    deletion(of: "id = $1::int8 AND holder = 0 AND seen < CASE WHEN acted THEN $2::int8 ELSE $3::int8 END"))
}
