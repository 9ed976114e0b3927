import GRDB
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that are removed, replaced or cut short while the store is open.
///
/// | what is found                          | what ``mend()`` does                                        |
/// |----------------------------------------|--------------------------------------------------------------|
/// | all is there again                     | goes on                                                      |
/// | the log or its index has no name       | moves what is in the log to the store's file, begins a new log |
/// | the store's file has no name           | writes a copy of all that is in it, which gets the name      |
/// | another file has the store's name      | writes a copy beside it, once; the store goes on failing     |
/// | a file is too short                    | the same, if all can be read                                 |
extension SQLiteStore {
  /// How often the files are looked at while there are requests, in nanoseconds.
  private static let lookInterval: UInt64 = 1_000_000_000

  /// Makes a file that only its user may read, or takes from others the right to read the one that is there.
  ///
  /// SQLite gives the files beside it the same mode.
  ///
  /// - Returns: whether it was made.
  static func protectFiles(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      closeDescriptor(descriptor)
      return true
    }
    for name in fileSuffixes.map({ path + $0 }) where othersMay(0o077, name) { chmod(name, 0o600) }
    return false
  }

  package func look() throws(StoreError) -> Bool {
    guard let files else { return false }
    lastLook = clock.monotonic()
    fault = database.writeWithoutTransaction { files.fault($0.sqliteConnection) }
    guard let fault else { return true }
    use = .failed
    throw StoreError("\(fault) \(plan(for: fault))", endangersAll: true)
  }

  /// Looks whether there are still the files that are written to.
  ///
  /// - Parameter isProbe: whether the store is only asked whether it works: then what is wrong is mended.
  /// - Throws: ``StoreError`` if not, or what SQLite says of the mending.
  func checkFiles(isProbe: Bool) throws {
    if fault != nil {
      guard !isProbe else { return try mend() }
      _ = try look()
    } else if clock.monotonic() - lastLook >= Self.lookInterval {
      _ = try look()
    }
  }

  /// Refuses to begin in a directory where others run whose store was removed; to be called by the process that has made a file.
  func checkOthers() throws {
    guard try database.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM server") }) == 0 else { return }
    close()
    unlink(path)
    throw StoreError(
      "A server runs here whose session store \(path) was removed. It writes the store anew: try again, or stop that "
        + "server.")
  }

  // MARK: Mending

  private func plan(for fault: StoreFiles.Fault) -> String {
    switch fault {
    case .missing(let names) where names.first == path: "It is written anew, from what this server has open."
    case .missing: "What was in it is moved to the store."
    case .replaced(path):
      "What this server has is saved beside it: stop the server, and put back what you want to keep."
    case .replaced: "It is replaced by what this server has open."
    case .short: "Stop the server, and put a copy back."
    }
  }

  /// Has the store's name belong to what this process has open.
  private func mend() throws {
    guard let files else { return }
    let found = database.writeWithoutTransaction { files.fault($0.sqliteConnection) }
    switch found {
    case nil: break
    case .missing(let names)? where names.first == path: try writeAnew()
    case .replaced(path)?, .short?: try saveCopy(found)
    case .missing?, .replaced?: try beginLog()
    }
    fault = nil
  }

  /// Moves what is in the log to the store's file, and begins a new log.
  ///
  /// SQLite does so only while no other process has the store's file open, whatever has become of the names beside it.
  private func beginLog() throws {
    try database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      defer { try? database.execute(sql: "PRAGMA synchronous = \(Self.synchronous(durability))") }
      guard try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
        throw StoreError("Another process uses the store: stop it.")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      _ = try Self.readTime(database)
    }
    files = StoreFiles(path)
  }

  /// Gives the store's name to a copy of what this process has open.
  private func writeAnew() throws {
    guard try !isUsedByOthers() else { throw StoreError("\(path) was removed, and another process uses it: stop it.") }
    // If all of the directory was removed.
    mkdir(StoreCopy.directory(of: path), 0o700)
    let copy = try StoreCopy(of: database, besides: path)
    do {
      // SQLite would add to the copy what is in an old log.
      try files?.removeLogs()
      try copy.take(path)
    } catch {
      copy.discard()
      throw error
    }
    database.writeWithoutTransaction { Self.keepNames($0) }
    // If the copy cannot be opened now, the next probe tries again: its file is the store from here on.
    (files, fault) = (StoreFiles(path), nil)
    try reopen()
  }

  /// Saves what this process has open, once, beside the file that has the store's name.
  private func saveCopy(_ fault: StoreFiles.Fault?) throws -> Never {
    // Who looks at memory beyond the end of a file is killed.
    if case .short("\(path)-shm")? = fault { throw StoreError("\(path)-shm was cut short: start the server anew.") }
    if rescued == nil {
      let name = Self.freeName(path)
      let copy = try StoreCopy(of: database, besides: name)
      do {
        try copy.take(name)
      } catch {
        copy.discard()
        throw error
      }
      rescued = name
    }
    throw StoreError(
      "\(path) is not what this server has written, which is in \(rescued ?? ""): stop the server, and put back what you want to "
        + "keep, with `ribd restore`.")
  }

  private static func freeName(_ path: String) -> String {
    var number = 1
    while access("\(path).rescued-\(number)", F_OK) == 0 { number += 1 }
    return "\(path).rescued-\(number)"
  }

  /// Whether another process uses the same file, as far as the file says.
  private func isUsedByOthers() throws -> Bool {
    let count = sharing.withLock { $0.starts?.count }
    var words: [Int: Int] = [:]
    try database.writeWithoutTransaction { _ in
      try statements?.selectServers.rows(.integer(holder)) { words[$0.integer(0)] = $0.integer(1) }
    }
    let now = clock.monotonic()
    return sharing.withLock { sharing in
      sharing.note(words, count, at: now)
      return sharing.hasOthers
    }
  }

  /// Has SQLite remove nothing by its name when it closes the store: the names may be those of another store's files.
  static func keepNames(_ database: Database) {
    guard let connection = database.sqliteConnection else { return }
    var keeps: Int32 = 1
    sqlite3_file_control(connection, nil, SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }
}
