/// Statements that are committed together, in as few round trips as they can be.
final class PostgresTransaction {
  private let connection: PostgresConnection
  private let patience: Int
  private var isBegun = false
  private var isOver = false

  /// A transaction that begins with its first statement.
  ///
  /// - Parameters:
  ///   - connection: to the database.
  ///   - patience: how long the server may take for each round trip, in milliseconds.
  init(_ connection: PostgresConnection, patience: Int = PostgresConnection.patience) {
    (self.connection, self.patience) = (connection, patience)
  }

  /// Runs statements in one round trip.
  ///
  /// - Parameters:
  ///   - statements: in order.
  ///   - isLast: whether to commit behind them, in the same round trip.
  /// - Returns: a result for each.
  /// - Throws: ``PostgresError``.
  @discardableResult
  func run(_ statements: [PostgresStatement], isLast: Bool = false) throws(PostgresError) -> [PostgresResult] {
    guard !statements.isEmpty else { return [] }
    let begin = isBegun ? [] : [PostgresStatement(.begin)]
    let end = isLast ? [PostgresStatement(.commit)] : []
    isBegun = true
    isOver = isLast
    let results = try connection.run(begin + statements + end, patience: patience)
    return Array(results.dropFirst(begin.count).dropLast(end.count))
  }

  /// Runs one statement.
  func run(_ statement: PostgresStatement) throws(PostgresError) -> PostgresResult { try run([statement])[0] }

  /// Commits, if that is not done.
  ///
  /// - Throws: ``PostgresError``; it may not be known whether there was a commit.
  func commit() throws(PostgresError) {
    guard isBegun, !isOver else { return }
    isOver = true
    _ = try connection.run([PostgresStatement(.commit)], patience: patience)
  }
}
