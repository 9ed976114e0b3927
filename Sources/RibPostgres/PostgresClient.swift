import RibServer

/// A connection to a database that is made anew when it is lost, and its transactions; for one thread at a time.
final class PostgresClient {
  private let url: String
  private let connectSeconds: Int
  private var connection: PostgresConnection?

  /// A client that connects with its first transaction.
  ///
  /// - Parameters:
  ///   - url: a connection string or URI of libpq.
  ///   - connectSeconds: how long each of its hosts may take to answer, where the URL does not say.
  init(_ url: String, connectSeconds: Int = 5) { (self.url, self.connectSeconds) = (url, connectSeconds) }

  /// Runs a transaction; one that others were in the way of is tried again.
  ///
  /// - Parameters:
  ///   - patience: how long the server may take for each round trip, in milliseconds.
  ///   - body: what belongs to the transaction but its begin and its end.
  ///   - onFailure: called before it is tried again, and before it has failed.
  /// - Returns: what the body has returned, once that is committed.
  /// - Throws: ``StoreError``; it may not be known whether there was a commit.
  func transact<Value>(
    patience: Int = PostgresConnection.patience,
    _ body: (PostgresTransaction) throws(PostgresError) -> Value, onFailure: () -> Void = {}
  ) throws(StoreError) -> Value {
    var attempts = 0
    while true {
      let connection = try connected()
      do throws(PostgresError) {
        let transaction = PostgresTransaction(connection, patience: patience)
        let value = try body(transaction)
        try transaction.commit()
        return value
      } catch {
        onFailure()
        attempts += 1
        // Only after what is no fault of the server's the connection can be used again: it may be one that cannot be written to any more.
        let isUsable = !error.isBroken && !connection.isBroken && (error.isOfValues || error.isOfOthers)
        if !isUsable || (try? connection.rollback()) == nil { self.connection = nil }
        guard error.isOfOthers, attempts < 5 else { throw error.storeError }
      }
    }
  }

  /// The number of the server's process for the connection; 0 if there is none.
  var backend: Int { connection?.backend ?? 0 }

  /// Ends the connection.
  func close() { connection = nil }

  /// The connection, which is made if there is none.
  ///
  /// - Returns: a connection that is set up.
  /// - Throws: ``StoreError`` that says what to do.
  func connected() throws(StoreError) -> PostgresConnection {
    if let connection, !connection.isBroken { return connection }
    let new = try PostgresConnection(url, connectSeconds: connectSeconds)
    do throws(PostgresError) { try Self.check(new) } catch { throw error.storeError }
    connection = new
    return new
  }

  /// Refuses a database that may lose what it has acknowledged, and sets the connection up.
  private static func check(_ connection: PostgresConnection) throws(PostgresError) {
    let settings = try connection.run([PostgresStatement(showSettings)])[0]
    for row in settings.rows {
      throw PostgresError(
        "\(row.text(0)) is \(row.text(1)): what was acknowledged could be lost. Turn it on.", state: "55000",
        isBroken: true)
    }
    _ = try connection.run([PostgresStatement(setUp)])
  }

  private static let showSettings = PostgresQuery(
    """
    SELECT name, setting FROM pg_settings WHERE (name = 'fsync' AND setting <> 'on')
      OR (name = 'synchronous_commit' AND setting NOT IN ('on', 'remote_apply'))
    """)
  /// Sets the options of a new connection.
  ///
  /// The planner must not take a batch for a table of thousands of rows, which it would have to hash. A sequential scan that has no other way then
  /// counts as so dear that PostgreSQL would compile the statement first (`jit`), for 40 ms each time. A node that hangs must not keep others from what it has locked, nor a
  /// statement wait for it longer than the node waits for the statement.
  private static let setUp = PostgresQuery(
    """
    SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
        ('plan_cache_mode', 'force_generic_plan'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
        ('enable_seqscan', 'off'), ('jit', 'off'), ('idle_in_transaction_session_timeout', '5000'), ('lock_timeout', '2000'),
        ('client_connection_check_interval', '1000'), ('tcp_user_timeout', '5000')) AS wanted(name, value) USING (name)
    """)
}
