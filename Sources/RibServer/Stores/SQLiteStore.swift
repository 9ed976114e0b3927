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

  /// Opens the file, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - durability: what a commit survives: a power cut, or only the end of the process.
  /// - Throws: ``StoreError`` that says what to do.
  init(path: String, durability: Welcome.Durability) throws(StoreError) {
    self.durability = durability
    var configuration = Configuration()
    configuration.journalMode = .wal
    // Another process writes for as long as one commit takes.
    configuration.busyMode = .timeout(2)
    configuration.label = "ribserver.store"
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = \(durability == .disk ? "FULL" : "NORMAL")")
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

  func close() {
    database.writeWithoutTransaction { _ in statements = nil }
    try? database.close()
  }

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    do {
      var results: [StoreResult] = []
      results.reserveCapacity(requests.count)
      try database.writeWithoutTransaction { database in
        guard let statements else { throw StoreError("The store is closed.") }
        try database.inTransaction(.immediate) {
          for request in requests { results.append(try Self.perform(request, database, statements)) }
          return .commit
        }
      }
      return results
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(error)
    }
  }

  private static func perform(
    _ request: StoreRequest, _ database: Database, _ statements: Statements
  ) throws -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      return try alone(statements) {
        let state = cut.state
        try statements.insertSession.run(
          .text(identity.id), .text(identity.app), .optional(identity.parameters), .integer(state.revision),
          .integer(cut.tree.root), .integer(cut.tree.lastID), .integer(Int64(cut.tree.transactions)),
          .utf8(state.clientsJSON), .text(state.invitationsJSON), .flag(state.hasActed), .flag(state.isConnected),
          .integer(state.seen), .optional(state.rest?.epoch), .optional(state.rest?.viewHash))
        let lease = SessionLease(row: database.lastInsertedRowID, number: 1)
        try write(cut, lease.row, statements)
        return .written(lease)
      }
    case .write(let lease, let cut):
      return try alone(statements) {
        let state = cut.state
        try statements.updateSession.run(
          .integer(state.revision), .integer(cut.tree.root), .integer(cut.tree.lastID),
          .integer(Int64(cut.tree.transactions)), .utf8(state.clientsJSON), .text(state.invitationsJSON),
          .flag(state.hasActed), .flag(state.isConnected), .integer(state.seen), .optional(state.rest?.epoch),
          .optional(state.rest?.viewHash), .integer(lease.row), .integer(lease.number))
        guard database.changesCount == 1 else { return .lost }
        try write(cut, lease.row, statements)
        return .written(lease)
      }
    case .load(let id): return try alone(statements) { try load(id, statements).map { .loaded($0) } ?? .missing }
    case .remove(let lease):
      try statements.deleteSession.run(.integer(lease.row), .integer(lease.number))
      return .removed(database.changesCount)
    case .expire(let expiry):
      try statements.expire.run(
        .integer(expiry.untouched), .integer(expiry.acted),
        .integer(expiry.limit))
      return .removed(database.changesCount)
    case .noteAbsence(_, let lease, let now):
      guard let lease else { return .lost }
      try statements.noteAbsence.run(.integer(now), .integer(lease.row), .integer(lease.number))
      return .noted
    case .probe(let now):
      try statements.noteServer.run(.integer(now))
      return .noted
    }
  }

  /// Does what belongs to one session, whole or not at all.
  ///
  /// - Throws: `DatabaseError` if it is not the session's fault.
  private static func alone(_ statements: Statements, _ body: () throws -> StoreResult) throws -> StoreResult {
    try statements.savepoint.run()
    do {
      let result = try body()
      try statements.release.run()
      return result
    } catch let error where StoreError.isOfOneSession(error) {
      try statements.rollBack.run()
      try statements.release.run()
      return .refused(StoreError(error))
    }
  }

  private static func write(_ cut: SessionCut, _ row: Int64, _ statements: Statements) throws {
    for id in cut.tree.removed { try statements.deleteNode.run(.integer(row), .integer(id)) }
    for node in cut.tree.changed {
      try statements.upsertNode.run(
        .integer(row), .integer(node.id), .text(node.type), .integer(node.version), .optional(node.state),
        .optional(node.childrenJSON), .optional(node.effectsJSON))
    }
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

  private static func load(_ id: String, _ statements: Statements) throws -> StoredSession? {
    try statements.raiseLease.run(.text(id))
    var found: (SessionIdentity, SessionLease, SessionState, TreeSnapshot)?
    try statements.selectSession.rows(.text(id)) { row in
      var rest: SessionState.Rest?
      if let epoch = row.optionalText(13), let hash = row.optionalText(14) {
        rest = SessionState.Rest(epoch: epoch, viewHash: hash)
      }
      found = (
        SessionIdentity(id: id, app: row.text(2), parameters: row.optionalText(3)),
        SessionLease(row: Int64(row.integer(0)), number: Int64(row.integer(1))),
        SessionState(
          revision: row.integer(4), clients: try [ClientRecord](json: row.text(8)),
          invitations: try [Invitation](json: row.text(9)), hasActed: row.integer(10) != 0,
          isConnected: row.integer(11) != 0, seen: row.integer(12), rest: rest),
        TreeSnapshot(
          root: row.integer(5), lastID: row.integer(6), transactions: UInt64(row.integer(7)), nodes: [:])
      )
    }
    guard let (identity, lease, state, snapshot) = found else { return nil }
    var tree = snapshot
    try statements.selectNodes.rows(.integer(lease.row)) { row in
      tree.nodes[row.integer(0)] = try NodeSnapshot(
        id: row.integer(0), type: row.text(1), version: row.integer(2), state: row.optionalText(3),
        childrenJSON: row.optionalText(4), effectsJSON: row.optionalText(5))
    }
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
    return StoredSession(
      identity: identity, lease: lease, state: state, tree: tree, nacks: nacks, crashes: crashes)
  }
}

extension SQLiteStore {
  /// Takes note that a server starts: of what was running when the last one died, and that nobody is connected.
  ///
  /// - Parameters:
  ///   - crashes: what the last one was running.
  ///   - now: in seconds since 1970.
  /// - Throws: ``StoreError``.
  func begin(after crashes: [FlightEntry], now: Int) throws(StoreError) {
    do {
      try database.write { database in
        // Whose client was connected when the last server died was seen then.
        try database.execute(
          sql: """
            UPDATE session SET connected = 0, seen = coalesce((SELECT seen FROM server), ?) WHERE connected = 1;
            """, arguments: [now])
        for crash in crashes {
          try database.execute(
            sql: """
              INSERT INTO crash SELECT id, ?, ?, 1 FROM session WHERE sid = ?
              ON CONFLICT DO UPDATE SET count = count + 1
              """, arguments: [crash.client, crash.number, crash.sessionID])
        }
        try database.execute(
          sql: "INSERT INTO server VALUES (1, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen", arguments: [now])
      }
    } catch {
      throw StoreError(error)
    }
  }
}
