import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A copy of a session store's file: as of one moment, checked, and for its user alone.
///
/// SQLite writes it with `VACUUM INTO`, which is one read transaction: servers that use the store go on writing meanwhile, and what they
/// commit does not make it begin anew, as it does the stepwise backup. The copy is one file, without a log beside it.
///
/// Until ``put(at:)`` the copy has a name of its own, so that nobody takes half of one for a whole one.
struct StoreCopy {
  /// Where it is.
  let path: String
  /// The number of sessions in it.
  let sessionCount: Int
  /// Its size.
  let bytes: Int

  /// Makes a copy beside the place where it is to go.
  ///
  /// - Parameters:
  ///   - source: the store's file; servers may use it.
  ///   - target: the place.
  ///   - check: looks at the store first, and throws if it is not to be copied.
  /// - Throws: ``StoreError`` if the file is no session store, or is damaged, or if the copy cannot be written.
  init(
    of source: String, besides target: String, checking check: (Database) throws -> Void = { _ in }
  ) throws(StoreError) {
    // SQLite would make one.
    guard access(source, R_OK) == 0 else { throw StoreError("\(SystemError.last("open \(source)"))") }
    try self.init(of: source, besides: target) { path in try Self.copy(source, to: path, check) }
  }

  /// Makes a copy of a store that is open, whether or not its file has a name.
  ///
  /// - Parameters:
  ///   - database: the store.
  ///   - target: where the copy is to go.
  /// - Throws: ``StoreError`` if the copy cannot be written, or is damaged.
  init(of database: DatabaseQueue, besides target: String) throws(StoreError) {
    try self.init(of: target, besides: target) { path in
      try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    }
  }

  private init(
    of source: String, besides target: String, writing write: (_ path: String) throws -> Void
  ) throws(StoreError) {
    path = try Self.makeEmptyFile(besides: target)
    do {
      try write(path)
      sessionCount = try Self.check(path)
      bytes = fileSize(path) ?? 0
      try Self.sync(path)
    } catch {
      unlink(path)
      switch error {
      case let error as StoreError: throw error
      case let error as DatabaseError: throw StoreError("\(source) cannot be copied. \(StoreError(error))")
      default: throw StoreError("\(error)")
      }
    }
  }

  /// Gives the copy its name, in place of a file that has it.
  ///
  /// - Parameter target: the name; in the same directory.
  /// - Throws: ``SystemError``.
  func put(at target: String) throws(SystemError) {
    guard rename(path, target) == 0 else { throw .last("rename \(path) to \(target)") }
    try Self.sync(Self.directory(of: target))
  }

  /// Gives the copy a name that no file has.
  ///
  /// - Parameter name: the name; in the same directory.
  /// - Throws: ``SystemError``, also if a file has the name.
  func take(_ name: String) throws(SystemError) {
    guard link(path, name) == 0 else { throw .last("link \(path) to \(name)") }
    do throws(SystemError) {
      try Self.sync(Self.directory(of: name))
    } catch {
      unlink(name)
      throw error
    }
    unlink(path)
  }

  /// Removes the copy, which is not wanted any more.
  func discard() { unlink(path) }

  /// Has a file, or what a directory says of its files, written to the disk.
  ///
  /// SQLite does not wait for the disk when it copies.
  ///
  /// - Parameter path: the file.
  /// - Throws: ``SystemError``.
  static func sync(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last("sync \(path)") }
  }

  /// The directory that a file is in.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// How a store is opened that servers may use.
  static var configuration: Configuration {
    var configuration = Configuration()
    // A server that writes is done in a moment.
    configuration.busyMode = .timeout(5)
    configuration.label = "ribserver.tool"
    return configuration
  }

  private static func makeEmptyFile(besides target: String) throws(StoreError) -> String {
    var name = Array("\(target).XXXXXX".utf8CString)
    // Only its user may read it, from the beginning.
    let descriptor = mkstemp(&name)
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw StoreError("\(SystemError.last("make \(target)"))") }
    close(descriptor)
    return path
  }

  private static func copy(_ source: String, to path: String, _ check: (Database) throws -> Void) throws {
    let queue: DatabaseQueue
    do {
      queue = try DatabaseQueue(path: source, configuration: configuration)
    } catch {
      throw StoreError(opening: source, error)
    }
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { database in
      guard try database.tableExists("session"), try database.tableExists("life") else {
        throw StoreError("\(source) is no session store.")
      }
      try check(database)
      try database.execute(sql: "VACUUM INTO ?", arguments: [path])
    }
  }

  /// Looks whether a copy is whole.
  ///
  /// - Returns: the number of its sessions.
  private static func check(_ path: String) throws -> Int {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read { database in
      let faults = try String.fetchAll(database, sql: "PRAGMA integrity_check(5)")
      guard faults == ["ok"] else {
        throw StoreError("The copy is damaged, and was removed: \(faults.joined(separator: "; "))")
      }
      return try Int.fetchOne(database, sql: "SELECT count(*) FROM session") ?? 0
    }
  }
}
