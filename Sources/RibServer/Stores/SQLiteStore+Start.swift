import GRDB
import Synchronization

// Processes that come and go, and the time.

extension SQLiteStore {
  /// Takes note of a process that begins.
  func begin(_ start: StoreStart, _ database: Database) throws {
    holder = start.number + 1
    time = StoreTime(goingOnFrom: try Self.readTime(database), clock)
    try noteTime(database)
    let now = time.now(clock)
    let running = ([0] + start.others.map { $0 + 1 }).map(String.init).joined(separator: ", ")
    // A client that was connected when its server died could not come back before now.
    try database.execute(sql: Self.releaseSQL(except: running), arguments: [now])
    try database.execute(sql: "DELETE FROM server WHERE number NOT IN (\(running))")
    if database.changesCount > 0 || start.isRestored {
      try database.execute(sql: "UPDATE life SET number = number + 1")
    }
    for crash in start.crashes {
      try database.execute(
        sql: """
          INSERT INTO crash SELECT id, ?, ?, 1 FROM session WHERE sid = ?
          ON CONFLICT DO UPDATE SET count = count + 1
          """, arguments: [crash.client, crash.number, crash.sessionID])
    }
    try database.execute(
      sql: "INSERT INTO server VALUES (?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen", arguments: [holder, now])
  }

  /// Lets go of the sessions of processes that have died.
  static func releaseSQL(except running: String) -> String {
    "UPDATE session INDEXED BY sessionHolder SET holder = 0, seen = ? WHERE holder <> 0 AND holder NOT IN (\(running))"
  }

  /// The last word of a process that ends in order.
  func noteEnd(_ database: Database) throws {
    _ = time.compare(with: try Self.readTime(database), clock)
    try noteTime(database)
    try database.execute(sql: "DELETE FROM server WHERE number = ?", arguments: [holder])
  }

  /// Has the other processes hear of this one, if it was silent for so long that they take it for dead: it was held up, or its
  /// store has failed.
  func announceReturn() {
    let now = clock.monotonic()
    guard now - lastWord > Sharing.life / 2 else { return }
    lastWord = now
    sharing.withLock { $0.announce() }
  }

  // MARK: Time

  /// The file's note on the time.
  static func readTime(_ database: Database) throws -> StoreTime.Note {
    let row = try Row.fetchOne(database, sql: "SELECT shift, seen FROM clock")
    return StoreTime.Note(shift: row?["shift"] ?? 0, seenOrZero: row?["seen"] ?? 0)
  }

  /// The same, asked again and again.
  func readTime(_ statements: Statements) throws -> StoreTime.Note {
    var note = StoreTime.Note(shift: 0, seenOrZero: 0)
    try statements.selectTime.rows { note = StoreTime.Note(shift: $0.integer(0), seenOrZero: $0.integer(1)) }
    return note
  }

  private func noteTime(_ database: Database) throws {
    try database.execute(sql: "UPDATE clock SET shift = ?, seen = ?", arguments: [time.shift, time.now(clock)])
  }

  func probe(_ statements: Statements) throws -> StoreResult {
    let change = time.compare(with: try readTime(statements), clock)
    let now = time.now(clock)
    try statements.noteTime.run(.integer(time.shift), .integer(now))
    try statements.noteServer.run(.integer(holder), .integer(now))
    let startCount = sharing.withLock { $0.starts?.count }
    var others: [Int: Int] = [:]
    try statements.selectServers.rows(.integer(holder)) { others[$0.integer(0)] = $0.integer(1) }
    let moment = clock.monotonic()
    lastWord = moment
    sharing.withLock { sharing in
      // A session that was written before this moment may have been taken over by one of those processes.
      if sharing.isShared { sharing.end = moment }
      sharing.note(others, startCount, at: moment)
    }
    return change.map { .notCounted($0) } ?? .noted
  }
}
