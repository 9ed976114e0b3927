import GRDB
import GRDBSQLite
import RibCore
import Wire

/// Keeps sessions in an SQLite file (<https://www.sqlite.org>), through GRDB.
///
/// A commit is one transaction for all that was asked for; what belongs to a session is in a savepoint of its own, so that
/// one that cannot be written does not hold up the others. The journal is a write-ahead log: a commit appends to it, and
/// with ``Welcome/Durability/disk`` waits until the disk has it.
///
/// `@unchecked Sendable`: `statements` are only used inside of `database`'s queue.
final class SQLiteStore: SessionStore, @unchecked Sendable {
  /// The file's name in the state directory.
  static let fileName = "sessions.sqlite"

  let durability: Welcome.Durability
  let database: DatabaseQueue
  private var statements: Statements?
  /// What the file knows this process by, among those that have it open; counted from 1.
  private var holder = 1
  /// Whether a commit has failed: what was shown to clients meanwhile may not be in the file.
  private var hasFailed = false

  /// Opens the file, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - durability: what a commit survives: a power cut, or only the end of the process.
  /// - Throws: ``StoreError`` that says what to do.
  init(path: String, durability: Welcome.Durability) throws(StoreError) {
    self.durability = durability
    var configuration = Configuration()
    // Another process writes for as long as one commit takes.
    configuration.busyMode = .timeout(2)
    configuration.label = "ribserver.store"
    configuration.prepareDatabase { database in
      // The configuration's own `journalMode` would set `synchronous` to NORMAL after this.
      try database.execute(
        sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(Self.synchronous(durability))")
      // 2 MiB of pages, as the system keeps the file in memory anyway; the log is copied into the file every 16 MiB.
      try database.execute(sql: "PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 4096")
    }
    do {
      database = try DatabaseQueue(path: path, configuration: configuration)
      let migrator = Self.migrator
      guard try database.read({ try !migrator.hasBeenSuperseded($0) }) else {
        throw StoreError("\(path) was written by a newer version of this program: start that one.")
      }
      try migrator.migrate(database)
      statements = try database.writeWithoutTransaction { try Statements($0) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(opening: path, error)
    }
  }

  private static func synchronous(_ durability: Welcome.Durability) -> String {
    durability == .disk ? "FULL" : "NORMAL"
  }

  func close() {
    try? database.writeWithoutTransaction { database in
      statements = nil
      guard !hasFailed else { return }
      try database.execute(sql: "DELETE FROM server WHERE number = ?", arguments: [holder])
    }
    try? database.close()
  }

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    do {
      var results: [StoreResult] = []
      results.reserveCapacity(requests.count)
      try database.writeWithoutTransaction { database in
        guard let statements else { throw StoreError("The store is closed.") }
        try database.inTransaction(.immediate) {
          for request in requests { results.append(try perform(request, database, statements)) }
          return .commit
        }
      }
      return results
    } catch {
      hasFailed = true
      throw error as? StoreError ?? StoreError(error)
    }
  }

  private func perform(
    _ request: StoreRequest, _ database: Database, _ statements: Statements
  ) throws -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      return try Self.alone(statements) {
        let state = cut.state
        try statements.insertSession.run(
          .text(identity.id), .text(identity.app), .optional(identity.parameters), .integer(state.revision),
          .integer(cut.tree.root), .integer(cut.tree.lastID), .integer(Int64(cut.tree.transactions)),
          .utf8(state.clientsJSON), .text(state.invitationsJSON), .flag(state.hasActed),
          .integer(state.isHeld ? holder : 0), .integer(state.seen), .optional(state.rest?.epoch),
          .optional(state.rest?.viewHash))
        let lease = SessionLease(row: database.lastInsertedRowID, number: 1)
        try Self.write(cut, lease.row, statements)
        return .written(lease)
      }
    case .write(let lease, let cut):
      return try Self.alone(statements) {
        let state = cut.state
        try statements.updateSession.run(
          .integer(state.revision), .integer(cut.tree.root), .integer(cut.tree.lastID),
          .integer(Int64(cut.tree.transactions)), .utf8(state.clientsJSON), .text(state.invitationsJSON),
          .flag(state.hasActed), .integer(state.isHeld ? holder : 0), .integer(state.seen),
          .optional(state.rest?.epoch), .optional(state.rest?.viewHash), .integer(lease.row),
          .integer(lease.number))
        guard database.changesCount == 1 else { return .lost }
        try Self.write(cut, lease.row, statements)
        return .written(lease)
      }
    case .load(let id, let tokenHash):
      return try Self.alone(statements, ownsDamage: true) { try Self.load(id, tokenHash, statements) }
    case .remove(_, let lease):
      return try Self.alone(statements, ownsDamage: true) {
        try statements.deleteSession.run(.integer(lease.row), .integer(lease.number))
        return .removed(database.changesCount)
      }
    case .expire(let expiry):
      return try Self.alone(statements, ownsDamage: true) {
        try statements.expire.run(.integer(expiry.untouched), .integer(expiry.acted), .integer(expiry.limit))
        return .removed(database.changesCount)
      }
    case .noteAbsence(_, let lease, let now):
      return try Self.alone(statements, ownsDamage: true) {
        try statements.noteAbsence.run(.integer(now), .integer(lease.row), .integer(lease.number))
        return .noted
      }
    case .probe(let now):
      try statements.noteServer.run(.integer(holder), .integer(now))
      return .noted
    }
  }

  /// Does what belongs to one session, whole or not at all.
  ///
  /// - Parameters:
  ///   - statements: the connection's.
  ///   - ownsDamage: whether pages that are damaged are the session's own, and no reason to write no other one.
  ///   - body: what is to be done.
  /// - Returns: what `body` says, or that the session was refused.
  /// - Throws: `DatabaseError` if it is not the session's fault.
  private static func alone(
    _ statements: Statements, ownsDamage: Bool = false, _ body: () throws -> StoreResult
  ) throws -> StoreResult {
    try statements.savepoint.run()
    do {
      let result = try body()
      try statements.release.run()
      return result
    } catch let error where StoreError.isOfOneSession(error, ownsDamage: ownsDamage) {
      try statements.rollBack.run()
      try statements.release.run()
      return .refused(StoreError(error))
    }
  }

  private static func write(_ cut: SessionCut, _ row: Int64, _ statements: Statements) throws {
    try write(cut.tree, row, statements)
    for refusal in cut.nacks {
      try statements.insertNack.run(
        .integer(row), .integer(refusal.client), .integer(refusal.nack.number), .text(refusal.nack.code.rawValue),
        .text(refusal.nack.message))
    }
    for (client, number) in cut.acknowledged {
      try statements.deleteNacks.run(.integer(row), .integer(client), .integer(number))
    }
    for crash in cut.survived {
      try statements.deleteCrash.run(.integer(row), .integer(crash.client), .integer(crash.number))
    }
  }

  private static func load(_ id: String, _ tokenHash: String?, _ statements: Statements) throws -> StoreResult {
    var found: (SessionIdentity, SessionLease, SessionState, TreeSnapshot)?
    try statements.selectSession.rows(.text(id)) { row in
      var rest: SessionState.Rest?
      if let epoch = row.optionalText(13), let hash = row.optionalText(14), row.integer(15) != 0 {
        rest = SessionState.Rest(epoch: epoch, viewHash: hash)
      }
      guard let transactions = UInt64(exactly: row.integer(7)) else {
        throw StoreError("The session has done \(row.integer(7)) transactions.")
      }
      found = (
        SessionIdentity(id: id, app: row.text(2), parameters: row.optionalText(3)),
        SessionLease(row: Int64(row.integer(0)), number: Int64(row.integer(1)) + 1),
        SessionState(
          revision: row.integer(4), clients: try [ClientRecord](json: row.text(8)),
          invitations: try [Invitation](json: row.text(9)), hasActed: row.integer(10) != 0,
          isHeld: row.integer(11) != 0, seen: row.integer(12), rest: rest),
        TreeSnapshot(root: row.integer(5), lastID: row.integer(6), transactions: transactions, nodes: [:])
      )
    }
    guard let (identity, lease, state, snapshot) = found else { return .missing }
    guard state.admits(tokenHash) else { return .denied(state) }
    // From here on nobody else can write it; and what is shown from here on is counted anew if it is lost.
    try statements.raiseLease.run(.integer(lease.number), .integer(lease.row))
    var tree = snapshot
    tree.nodes = try loadNodes(of: lease.row, statements)
    var nacks: [SessionCut.Refusal] = []
    try statements.selectNacks.rows(.integer(lease.row)) { row in
      let code = Nack.Code(rawValue: row.text(2)) ?? .failed
      nacks.append(
        SessionCut.Refusal(
          client: row.integer(0), nack: Nack(number: row.integer(1), code: code, message: row.text(3))))
    }
    var crashes: [StoredSession.Crash] = []
    try statements.selectCrashes.rows(.integer(lease.row)) { row in
      crashes.append(StoredSession.Crash(client: row.integer(0), number: row.integer(1), count: row.integer(2)))
    }
    return .loaded(
      StoredSession(identity: identity, lease: lease, state: state, tree: tree, nacks: nacks, crashes: crashes))
  }
}

extension SQLiteStore {
  /// A process that begins to use the file.
  struct Start {
    /// What others were running when they died.
    var crashes: [FlightEntry] = []
    /// The process's number, from 0.
    var number = 0
    /// The numbers of the processes that run.
    var others: [Int] = []
  }

  /// Takes note that a server starts: of what was running when others died, and that nobody has their sessions.
  ///
  /// - Parameters:
  ///   - now: in seconds since 1970.
  ///   - start: called while no other process can begin.
  /// - Throws: ``StoreError``.
  func begin(now: Int, _ start: () throws -> Start) throws(StoreError) {
    do {
      try database.writeWithoutTransaction { database in
        // If the power is cut, the next one has to know that this one was there.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
          try begin(now: now, try start(), database)
          return .commit
        }
        try database.execute(sql: "PRAGMA synchronous = \(Self.synchronous(durability))")
      }
    } catch {
      throw StoreError(error)
    }
  }

  private func begin(now: Int, _ start: Start, _ database: Database) throws {
    holder = start.number + 1
    let running = ([0] + start.others.map { $0 + 1 }).map(String.init).joined(separator: ", ")
    // Whose client was connected when a server died was seen then.
    try database.execute(
      sql: """
        UPDATE session SET holder = 0, seen = coalesce((SELECT seen FROM server WHERE number = holder), ?)
        WHERE holder NOT IN (\(running))
        """, arguments: [now])
    try database.execute(sql: "DELETE FROM server WHERE number NOT IN (\(running))")
    if database.changesCount > 0 { try database.execute(sql: "UPDATE life SET number = number + 1") }
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
}
