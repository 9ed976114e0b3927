import GRDB

// Sessions that no client comes back to.

extension SQLiteStore {
  func findExpired(_ expiry: SessionExpiry, _ statements: Statements) throws -> StoreResult {
    var rows: [Int64] = []
    let (untouched, acted) = try limits(expiry, statements)
    // Only the index is read: a session whose rows are damaged is found as well.
    try statements.findExpired.rows(.integer(untouched), .integer(acted), .integer(expiry.limit)) {
      rows.append(Int64($0.integer(0)))
    }
    return .expired(rows)
  }

  /// When a client must have been seen at the latest: of a session that was not touched, and of one that was.
  private func limits(_ expiry: SessionExpiry, _ statements: Statements) throws -> (untouched: Int, acted: Int) {
    // A process that was held up may not have compared its time with the file's yet.
    let now = time.earliest(try readTime(statements), clock)
    return (now - Int(expiry.untouched.components.seconds), now - Int(expiry.acted.components.seconds))
  }

  /// Forgets a session at once, or the next part of a large one, which no token opens from then on.
  func forget(
    _ row: Int64, _ expiry: SessionExpiry, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    let (untouched, acted) = try limits(expiry, statements)
    var size = 0
    try statements.countRows.rows(.integer(row), .integer(expiry.limit)) { size = $0.integer(0) }
    if size < expiry.limit {
      var gone: ForgottenSession?
      try statements.deleteExpired.rows(.integer(row), .integer(acted), .integer(untouched)) { row in
        let id = String(row.text(0).drop { $0 == Self.goingMark })
        gone = ForgottenSession(id: id, app: row.text(1))
      }
      return .forgotten(gone)
    }
    try statements.closeExpired.run(.integer(row), .integer(acted), .integer(untouched))
    if database.changesCount == 1 {
      // A commit under the former lease would find it, and be taken.
      try statements.deleteProgress.run(.integer(row))
      try statements.deleteSomeChanges.run(.integer(row), .integer(expiry.limit))
      try statements.deleteSomeNodes.run(.integer(row), .integer(expiry.limit))
    }
    return .forgotten(nil)
  }

  /// Stands before the name of a session that is being forgotten.
  private static let goingMark: Character = "-"

  func measure(_ statements: Statements) throws -> StoreResult {
    var (sessions, pages, size) = (0, 0, 0)
    // The smallest index is read.
    try statements.countSessions.rows { sessions = $0.integer(0) }
    try statements.allPages.rows { pages = $0.integer(0) }
    try statements.pageSize.rows { size = $0.integer(0) }
    // What was committed and is not in the file yet.
    let log = fileSize("\(path)-wal")
    return .measured(StoreMeasure(sessionCount: sessions, bytes: ["main": pages * size, "wal": log ?? 0]))
  }

  func tidy(_ statements: Statements) throws -> StoreResult {
    var (free, pages) = (0, 0)
    try statements.freePages.rows { free = $0.integer(0) }
    try statements.allPages.rows { pages = $0.integer(0) }
    // Some are kept: what comes next needs them.
    guard free > max(256, pages / 8) else { return .tidied(isDone: true) }
    try statements.vacuum.rows { _ in }
    return .tidied(isDone: false)
  }
}
