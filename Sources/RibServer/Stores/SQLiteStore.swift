import GRDB
import RibCore
import Synchronization
package import Wire

/// Keeps sessions in an SQLite file (<https://www.sqlite.org>), through GRDB.
///
/// A commit is one transaction for all that was asked for; if one request cannot be done, the ``StoreWriter`` finds out which.
/// The journal is a write-ahead log: a commit appends to it, and with ``Welcome/Durability/disk`` waits until the disk has it.
///
/// `@unchecked Sendable`: what changes is only used by the one thread at a time that asks the store for something.
package final class SQLiteStore: SessionStore, @unchecked Sendable {
  /// The file's name in the state directory.
  package static let fileName = "sessions.sqlite"
  /// How the names end of the file, and of those that SQLite has beside it.
  static let fileSuffixes = ["", "-wal", "-shm", "-journal"]

  package let durability: Welcome.Durability
  /// Only processes of this machine have the file, and each loads what it needs: no process takes over what another has not written.
  package let outage = Outage.goesOn
  let sharing = Mutex(Sharing())

  /// When this process has told the others last that it is there, in nanoseconds of the monotonic clock.
  var lastWord: UInt64 = 0

  /// Signs of other processes that use the file.
  struct Sharing {
    /// Whether another process used the file when this one began, or when the store was probed last.
    var hasOthers = false
    /// The last words of other processes, by their numbers: when they said so, and when it was seen first.
    private var lastWords: [Int: (said: Int, seen: UInt64)] = [:]
    /// Counts the processes that have begun, or gone on after a silence.
    var starts: StartCounter?
    /// How many had begun by then.
    var startCount: UInt64?
    /// When it was seen that others that had used the file do not any more; nil if there were none yet.
    var end: UInt64?

    /// Whether others use the file, as far as can be known without a look at it.
    var isShared: Bool { hasOthers || starts?.count != startCount }

    /// A process that has said nothing for so many nanoseconds does not use the file any more.
    ///
    /// Each says something every ten seconds. A process that has died has left its last word in the file.
    static let life: UInt64 = 60_000_000_000

    /// A process that begins.
    ///
    /// - Parameters:
    ///   - hasOthers: whether others run.
    ///   - starts: counts them.
    init(hasOthers: Bool = false, _ starts: StartCounter? = nil) {
      (self.hasOthers, self.starts, startCount) = (hasOthers, starts, starts?.count)
    }

    /// Has the others take note of this process, which knows of itself.
    mutating func announce() {
      starts?.increment()
      startCount = startCount.map { $0 + 1 }
    }

    /// Takes note of what the file says of other processes.
    ///
    /// - Parameters:
    ///   - words: when each has said last that it is there, in the file's time, by their numbers.
    ///   - count: how many had begun, or gone on, before the look at the file.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func note(_ words: [Int: Int], _ count: UInt64?, at now: UInt64) {
      // One that goes on may not have said so in the file.
      let known = count == startCount ? lastWords : [:]
      startCount = count
      lastWords = [:]
      for (number, said) in words {
        lastWords[number] = (said, known[number].flatMap { $0.said == said ? $0.seen : nil } ?? now)
      }
      hasOthers = lastWords.values.contains { now - $0.seen < Self.life }
    }
  }

  private(set) var database: DatabaseQueue
  let path: String
  /// The file and those beside it, as the system tells them from others of the same names; nil where the system does not know them.
  var files: StoreFiles?
  /// What has become of them; nil as long as nothing is known.
  var fault: StoreFiles.Fault?
  /// When they were looked at last, in nanoseconds of the monotonic clock.
  var lastLook: UInt64 = 0
  /// Where a copy of the store is, if another file has its name.
  var rescued: String?
  /// Whether this process has made the file.
  private let isNew: Bool
  /// Whether the connection is of no use any more.
  private var mustReopen = false
  let clock: TimeSource
  private(set) var statements: Statements?
  /// What the file knows this process by, among those that have it open; counted from 1.
  var holder = 1
  /// The time of the file.
  var time: StoreTime
  /// Memory for the clients' numbers of one session after the other.
  var numbers: [UInt8] = []
  /// What the process will have to say of itself when it ends.
  var use = Use.looking

  enum Use {
    /// The process has not begun: nothing.
    case looking
    /// It has: that it has ended in order.
    case serving
    /// A commit has failed, and what was shown to clients meanwhile may not be in the file: nothing, as if it had died.
    case failed
  }

  /// Up to this size a file is compacted when it is opened, if it has to be so that it can shrink: in bytes.
  private static let compactedSize = 32 << 20

  /// Opens the file, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - durability: what a commit survives: a power cut, or only the end of the process.
  ///   - clock: what tells the time.
  /// - Throws: ``StoreError`` that says what to do.
  package init(
    path: String, durability: Welcome.Durability, clock: TimeSource = .system
  ) throws(StoreError) {
    self.durability = durability
    self.clock = clock
    self.path = path
    isNew = Self.protectFiles(path)
    do {
      database = try DatabaseQueue(path: path, configuration: Self.configuration(durability))
      let migrator = Self.migrator
      guard try database.read({ try !migrator.hasBeenSuperseded($0) }) else {
        throw StoreError("\(path) was written by a newer version of this program: start that one.")
      }
      try migrator.migrate(database)
      let database = database
      Self.letShrink(database)
      statements = database.writeWithoutTransaction { Statements($0) }
      time = StoreTime(lookingAt: try database.read { try Self.readTime($0) }, clock)
      // With the read there is a log.
      files = StoreFiles(path)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(opening: path, error)
    }
  }

  private static func configuration(_ durability: Welcome.Durability) -> Configuration {
    var configuration = Configuration()
    // Another process writes for as long as one commit takes.
    configuration.busyMode = .timeout(2)
    configuration.label = "ribserver.store"
    configuration.prepareDatabase { database in
      // A file that is new can give pages back; it has to be said before anything is written.
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      // The configuration's own `journalMode` would set `synchronous` to NORMAL after this.
      try database.execute(
        sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(Self.synchronous(durability))")
      #if canImport(Darwin)
        // Darwin's `fsync` only hands the data to the disk.
        if durability == .disk {
          try database.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        }
      #endif
      // 2 MiB of pages, as the system keeps the file in memory anyway; the log is copied into the file every 16 MiB, and one
      // that has grown beyond 32 MiB is cut then.
      try database.execute(
        sql: """
          PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = \(32 << 20)
          """)
    }
    return configuration
  }

  static func synchronous(_ durability: Welcome.Durability) -> String {
    durability == .disk ? "FULL" : "NORMAL"
  }

  /// Compacts a small file of an earlier version, which could never shrink otherwise.
  ///
  /// A large one would take too long; `sqlite3 sessions.sqlite 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM'` does it while no
  /// server runs. It may fail, if another process has the file open or it is damaged: then the file stays as it is.
  private static func letShrink(_ database: DatabaseQueue) {
    try? database.writeWithoutTransaction { database in
      guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") == 0,
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count"),
        let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size"), pages * pageSize <= compactedSize
      else { return }
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }
  }

  package func begin(_ start: StoreStart) throws(StoreError) -> Int {
    // Since it was opened a copy may have been put in its place.
    _ = try look()
    do {
      if isNew, !start.others.isEmpty { try checkOthers() }
      try database.writeWithoutTransaction { database in
        // If the power is cut, the next one has to know that this one was there.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
          try begin(start, database)
          return .commit
        }
        try database.execute(sql: "PRAGMA synchronous = \(Self.synchronous(durability))")
        use = .serving
      }
    } catch {
      throw StoreError(error)
    }
    // A process that sees the count raised finds this process's row in the file.
    start.starts?.increment()
    lastWord = clock.monotonic()
    sharing.withLock { $0 = Sharing(hasOthers: !start.others.isEmpty, start.starts) }
    return holder
  }

  package func isShared(since time: UInt64) -> Bool {
    sharing.withLock { $0.isShared || $0.end.map { $0 >= time } ?? false }
  }

  package func close() {
    try? database.writeWithoutTransaction { database in
      statements = nil
      if use == .serving { try noteEnd(database) }
      if let files, files.isNameLost { Self.keepNames(database) }
    }
    try? database.close()
  }

  package func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    announceReturn()
    do {
      try checkFiles(isProbe: requests.count == 1 && requests.first?.isProbe == true)
      if mustReopen {
        // Another file may have taken the name of the store since the last look.
        _ = try look()
        try reopen()
      }
      return try perform(requests, endingWith: .commit)
    } catch {
      // The connection has not got rid of a lock: no other process can write, nor can this one.
      if (error as? DatabaseError)?.resultCode == .SQLITE_PROTOCOL { mustReopen = true }
      let error = storeError(error, requests)
      if error.isGlobal { use = .failed }
      throw error
    }
  }

  /// Uses another connection from here on: with the old one its locks end.
  func reopen() throws {
    mustReopen = true
    database.writeWithoutTransaction { _ in statements = nil }
    try database.close()
    database = try DatabaseQueue(path: path, configuration: Self.configuration(durability))
    statements = database.writeWithoutTransaction { Statements($0) }
    _ = try database.read { try Self.readTime($0) }
    files = StoreFiles(path)
    mustReopen = false
  }

  func perform(
    _ requests: [StoreRequest], endingWith end: Database.TransactionCompletion
  ) throws -> [StoreResult] {
    var results: [StoreResult] = []
    results.reserveCapacity(requests.count)
    // A probe that is not committed has compared nothing: the file has the time of before.
    let before = time
    var isCommitted = false
    defer { if !isCommitted { time = before } }
    try database.writeWithoutTransaction { database in
      guard let statements else { throw StoreError("The store is closed.") }
      try database.inTransaction(.immediate) {
        for request in requests { results.append(try perform(request, statements, database)) }
        return end
      }
    }
    isCommitted = end == .commit
    return results
  }

  private func perform(
    _ request: StoreRequest, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    switch request {
    case .create(let identity, let cut): try create(identity, cut, statements, database)
    case .write(let lease, let cut): try write(cut, lease, statements, database)
    // All processes are of this machine, and each can tell by its lease that another one has a session.
    case .load(let id, let tokenHash, from: _): try load(id, tokenHash, statements)
    case .resume(let resume): try self.resume(resume, statements)
    case .remove(_, let lease): try remove(lease, statements, database)
    case .noteAbsence(_, let lease): try noteAbsence(lease, statements)
    case .findExpired(let expiry): try findExpired(expiry, statements)
    case .forget(let row, let expiry): try forget(row, expiry, statements, database)
    case .signOut(let revocation, let keeping): try signOut(revocation, keeping, statements, database)
    case .findRevocations(let last): try findRevocations(after: last, statements)
    case .tidy: try tidy(statements)
    case .probe: try probe(statements)
    case .measure: try measure(statements)
    }
  }

  // MARK: Errors

  private func storeError(_ error: any Error, _ requests: [StoreRequest]) -> StoreError {
    switch (error as? DatabaseError)?.resultCode {
    // A page that is damaged may be a session's own, or one that no session can do without.
    case .SQLITE_CORRUPT?: StoreError(error, isGlobal: !worksForOthers)
    // Also said of a page that names a next one which is beyond all that a file may have.
    case .SQLITE_FULL?: StoreError(error, isGlobal: !isDamaged(in: requests) || !worksForOthers)
    default: error as? StoreError ?? StoreError(error)
    }
  }

  /// Whether a session that was to be written cannot be read.
  private func isDamaged(in requests: [StoreRequest]) -> Bool {
    let rows = requests.compactMap { if case .write(let lease, _) = $0 { lease.row } else { nil } }
    do {
      try database.writeWithoutTransaction { _ in
        for row in rows {
          // No array is made: the optimizer of Swift 6.3.1 frees one that nobody looks at before it is filled.
          try statements?.selectNodes.rows(.integer(row)) { $0.fetch(3) }
          try statements?.selectChanges.rows(.integer(row)) { $0.fetch(2) }
        }
      }
      return false
    } catch {
      return (error as? DatabaseError)?.resultCode == .SQLITE_CORRUPT
    }
  }

  /// Whether a session could be created and read, if there were one more; none is.
  private var worksForOthers: Bool {
    // No session of a client's has such a name.
    let identity = SessionIdentity(id: "?", app: "", parameters: nil)
    let node = NodeSnapshot(id: 1, type: "", version: 1, state: "0", children: [:], effects: [])
    let nack = SessionCut.Refusal(client: 1, nack: Nack(number: 1, code: .failed, message: ""))
    let cut = SessionCut(
      version: 1, state: SessionState(revision: 1, clients: [], invitations: [], hasActed: false, isHeld: true),
      tree: TreeCut(TreeSnapshot(root: 1, lastID: 1, transactions: 0, nodes: [1: node])), nacks: [nack],
      acknowledged: [:], survived: [])
    let results = try? perform([.probe, .create(identity, cut), .load(sessionID: identity.id)], endingWith: .rollback)
    if case .loaded? = results?.last { return true }
    return false
  }
}
