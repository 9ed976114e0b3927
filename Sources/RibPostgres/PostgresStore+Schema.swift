import RibServer

extension PostgresStore {
  /// The tables, a step a version; a step that was released is never changed, and the release before can live with the next one.
  ///
  /// Texts that clients had a hand in are `bytea`, as PostgreSQL's texts have no U+0000. There are no foreign keys: the lock of the
  /// session's row guards the rest. What most commits write, the progress of a session, is in no index (heap-only tuples). Names are compared
  /// byte by byte: a standby with other rules for letters would not find them.
  private static let steps: [[String]] = [
    [
      """
      -- The nodes, and when each was there last. A number is never used again.
      CREATE TABLE rib_node (
        id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seen int8 NOT NULL, beat int8 NOT NULL DEFAULT 0, program text,
        is_draining bool NOT NULL DEFAULT false, address text, secret text,
        is_succeeded bool NOT NULL DEFAULT false)
      """,
      """
      -- The time that sessions age by, in seconds.
      CREATE TABLE rib_time (id int8 PRIMARY KEY CHECK (id = 1), now int8 NOT NULL)
      """,
      "INSERT INTO rib_time VALUES (1, 1)",
      """
      -- One row a session. It is written by whoever has the lease, and with a version that is not lower. It is in the memory of the
      -- node `holder`, or a client waits there for it; 0 is nobody. `numbers` has each client's try and number, where those
      -- have changed since `clients` was written. `timeline` is the database's when the session came to rest: on another one, what a client
      -- has seen since may be lost.
      CREATE TABLE rib_session (
        id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sid text COLLATE "C" NOT NULL UNIQUE, lease int8 NOT NULL, version int8 NOT NULL,
        holder int8 NOT NULL, app text NOT NULL, parameters bytea, place text COLLATE "C",
        rev int8 NOT NULL, root int8 NOT NULL, last_node int8 NOT NULL, transactions int8 NOT NULL,
        clients bytea NOT NULL, numbers bytea, invitations bytea NOT NULL, acted bool NOT NULL, seen int8 NOT NULL,
        epoch text, view_hash text, program text, timeline text) WITH (fillfactor = 70)
      """,
      "CREATE INDEX rib_session_seen ON rib_session (acted, seen) WHERE holder = 0",
      "CREATE INDEX rib_session_holder ON rib_session (holder) WHERE holder <> 0",
      "CREATE INDEX rib_session_place ON rib_session (place) WHERE place IS NOT NULL",
      """
      -- One row a riblet: its state is a base, and the changes since.
      CREATE TABLE rib_riblet (
        session int8 NOT NULL, id int8 NOT NULL, type text NOT NULL, version int8 NOT NULL, state bytea,
        changes bytea[] NOT NULL DEFAULT '{}', children bytea, effects bytea, PRIMARY KEY (session, id)) WITH (fillfactor = 70)
      """,
      """
      -- Refusals that a client has not acknowledged.
      CREATE TABLE rib_nack (
        session int8 NOT NULL, client int8 NOT NULL, n int8 NOT NULL, code text NOT NULL, message bytea NOT NULL,
        PRIMARY KEY (session, client, n))
      """,
      """
      -- What ran when a node died.
      CREATE TABLE rib_crash (
        session int8 NOT NULL, client int8 NOT NULL, n int8 NOT NULL, count int8 NOT NULL, PRIMARY KEY (session, client, n))
      """,
      """
      -- Persons who were signed out, and when, in seconds since 1970; clients that were bound to them with that mark or a lower one are out.
      CREATE TABLE rib_revocation (
        id int8 GENERATED ALWAYS AS IDENTITY UNIQUE, subject bytea NOT NULL, issuer bytea NOT NULL, time int8 NOT NULL, mark int8 NOT NULL,
        PRIMARY KEY (subject, issuer))
      """,
      """
      -- Which sessions have clients of a person, and the highest mark of these.
      CREATE TABLE rib_person (
        subject bytea NOT NULL, issuer bytea NOT NULL, session int8 NOT NULL, since int8 NOT NULL, PRIMARY KEY (subject, issuer, session))
      """,
      "CREATE INDEX rib_person_session ON rib_person (session)",
    ],
    [
      """
      -- By a node's mark its successor tells which one has died; 0 is none.
      ALTER TABLE rib_node ADD COLUMN mark int8 NOT NULL DEFAULT 0
      """,
      """
      -- Values that all nodes share, by name.
      CREATE TABLE rib_value (name text COLLATE "C" PRIMARY KEY, version int8 NOT NULL, value bytea NOT NULL)
      """,
      """
      -- The last write of each node to a value: it is not made again when its outcome was not known.
      CREATE TABLE rib_value_write (name text COLLATE "C" NOT NULL, node int8 NOT NULL, number int8 NOT NULL, PRIMARY KEY (name, node))
      """,
    ],
  ]

  /// How long a step may take, or the node that takes it be waited for: in milliseconds.
  private static let patienceOfSteps = 600_000
  /// How long a step waits for a table that somebody else has locked, in milliseconds.
  ///
  /// All that comes to the table meanwhile waits behind the step, and one beat of each node may fail; the next one counts. An automatic vacuum
  /// gives way to the step after one second (`deadlock_timeout`).
  private static let patienceOfLocks = 1100
  /// How often the steps are tried, with a pause in which others come to the table: for two minutes.
  private static let attempts = 40

  /// The number of an advisory lock, which a database has for all that is in it: of one of these tables' own.
  ///
  /// - Parameter name: what is locked.
  /// - Returns: an expression.
  static func lock(of name: String) -> String { "hashtextextended('ribserver \(name)', hashtext(current_schema()))" }

  /// Makes the tables, or brings them up to date, while other nodes that start wait.
  ///
  /// Nodes that are running go on: a step that does not get the lock of a table soon gives up its place, and is tried again.
  ///
  /// - Parameters:
  ///   - connection: to the database.
  ///   - attempts: how often the steps are tried.
  /// - Throws: ``PostgresError``.
  static func migrate(_ connection: PostgresConnection, attempts: Int = attempts) throws(PostgresError) {
    for attempt in 1... {
      try waitForTurn(connection)
      do throws(PostgresError) {
        return try takeSteps(connection)
      } catch {
        guard error.isOfLocks else { throw error }
        guard attempt < attempts else {
          throw PostgresError(
            """
            The tables cannot be brought up to date, as another connection keeps a lock on one of them (\(error.message)). End what has it \
            (pg_locks and pg_stat_activity say who), and start again.
            """, state: error.state, isBroken: true)
        }
        try connection.rollback()
        _ = try run("SELECT pg_sleep(2)", connection)
      }
    }
  }

  /// Begins a transaction that is the only one of a node that starts.
  private static func waitForTurn(_ connection: PostgresConnection) throws(PostgresError) {
    _ = try run("BEGIN", connection)
    _ = try run("SET LOCAL lock_timeout = \(patienceOfSteps / 2)", connection)
    _ = try run("SELECT pg_advisory_xact_lock(\(lock(of: "schema")))", connection)
  }

  private static func takeSteps(_ connection: PostgresConnection) throws(PostgresError) {
    _ = try run("CREATE TABLE IF NOT EXISTS rib_schema (version int8 NOT NULL)", connection)
    let version =
      try run("SELECT coalesce(max(version), 0)::int8 FROM rib_schema", connection).first?.integer(0) ?? 0
    // The next version can live with this one: while nodes are replaced, one of this version may have to start.
    guard version <= steps.count + 1 else {
      throw PostgresError(
        "The tables were made by a newer version of this program: start that one.", state: "55000", isBroken: true)
    }
    _ = try run("SET LOCAL lock_timeout = \(patienceOfLocks)", connection)
    for (number, step) in steps.enumerated().dropFirst(version) {
      for sql in step { _ = try run(sql, connection) }
      _ = try run("INSERT INTO rib_schema VALUES (\(number + 1))", connection)
    }
    _ = try run("COMMIT", connection)
  }

  private static func run(
    _ sql: String, _ connection: PostgresConnection
  ) throws(PostgresError) -> PostgresResult {
    try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))], patience: patienceOfSteps)[0]
  }
}
