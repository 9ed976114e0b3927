import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The session store that a copy takes the place of, while no server uses it; there may be none.
struct ReplacedStore {
  private let path: String
  private var exists: Bool { access(path, F_OK) == 0 }
  /// Whether it is damaged, and replaced nevertheless.
  private var isGivenUp = false
  /// The name that ``setAside(force:)`` has found for it and the files beside it, and whether it was there itself; nil before.
  private var aside: (name: String, hadStore: Bool)?
  /// The ends of the names of files that were moved there.
  private var movedSuffixes: [String] = []

  /// The store at a place.
  init(_ path: String) { self.path = path }

  /// Reads which persons were signed out.
  ///
  /// - Parameter isForced: whether to go on without them if the store is damaged.
  /// - Throws: ``StoreError`` if it is, and says what that means.
  /// - Returns: the sign-outs.
  mutating func readSignOuts(force isForced: Bool) throws -> [Revocation] {
    guard exists else { return [] }
    do {
      return try withStore { database in
        // A store of an earlier version has none.
        guard try database.tableExists("revocation") else { return [] }
        return try Row.fetchAll(
          database,
          sql: "SELECT subject, issuer, CAST(round(time * 1000) AS INTEGER), typeof(time), mark FROM revocation"
        ).map {
          let (person, milliseconds): (PersonID, Int) = (PersonID($0[0], issuer: $0[1]), $0[2])
          // An earlier version has written the second alone.
          let last = min(milliseconds, .max - 999) + ($0[3] == "real" ? 0 : 999)
          return Revocation(person, millisecond: last, mark: $0[4])
        }
      }
    } catch {
      guard !Self.isInUse(error) else { throw error }
      guard !isForced else {
        isGivenUp = true
        return []
      }
      throw StoreError(
        "Who was signed out since the copy was made cannot be read from \(path). \(StoreError(error)) "
          + "With --force it is replaced nevertheless, and clients of persons who were signed out since come back.")
    }
  }

  /// Gives the store another name, and leaves nothing beside its place that SQLite would take for a part of what comes there.
  ///
  /// There is a store in its place at all times, if there was one: a server that starts meanwhile begins no empty one.
  ///
  /// - Parameter isForced: whether a damaged one is moved as it is.
  /// - Throws: ``StoreError`` or ``SystemError``; ``putBack()`` undoes what was done by then.
  /// - Returns: its name; nil if there was none.
  mutating func setAside(force isForced: Bool) throws -> String? {
    let hasStore = exists
    if hasStore, !isGivenUp {
      do {
        // With that its log is in the file.
        let mode = try withStore { try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
        guard mode == "delete" else {
          throw StoreError("\(path) keeps its log, for a reason that SQLite does not say.")
        }
      } catch {
        guard isForced, !Self.isInUse(error) else { throw error }
      }
    }
    let name = try link(path, exists: hasStore)
    aside = (name, hasStore)
    for suffix in SQLiteStore.fileSuffixes.dropFirst() where access(path + suffix, F_OK) == 0 {
      guard rename(path + suffix, name + suffix) == 0 else { throw SystemError.last("rename \(path)\(suffix)") }
      movedSuffixes.append(suffix)
    }
    return hasStore ? name : nil
  }

  /// Undoes ``setAside(force:)``, as no copy has taken the store's place, or none that is sure to stay there.
  func putBack() {
    guard let aside else { return }
    if !aside.hadStore {
      // A copy that may not stay.
      unlink(path)
    } else if FileIdentity(aside.name) == FileIdentity(path) {
      // To rename one name of a file to another one does nothing.
      unlink(aside.name)
    } else {
      rename(aside.name, path)
    }
    for suffix in movedSuffixes { rename(aside.name + suffix, path + suffix) }
  }

  /// Whether another process has the store open, which is never replaced under it.
  private static func isInUse(_ error: any Error) -> Bool {
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_BUSY?, .SQLITE_LOCKED?: true
    default: false
    }
  }

  /// Finds a name that is free, and gives it to the store, which keeps the other one until a copy gets it.
  private func link(_ path: String, exists: Bool) throws(SystemError) -> String {
    for number in 1... {
      let name = "\(path).replaced-\(number)"
      guard exists else {
        if access(name, F_OK) != 0, access("\(name)-wal", F_OK) != 0 { return name }
        continue
      }
      if makeLink(path, name) == 0 { return name }
      guard errno == EEXIST else { throw .last("link \(path) to \(name)") }
    }
    preconditionFailure("there is always a name that is free")
  }

  private func withStore<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path, configuration: StoreCopy.configuration)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction(body)
  }
}

/// The system's `link`, which the method hides.
private func makeLink(_ path: String, _ name: String) -> Int32 { link(path, name) }
