#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A copy of a server's sessions in a file, from which they can be put back.
public struct StoreBackup: Equatable, Sendable {
  /// The number of sessions in it.
  public let sessionCount: Int
  /// The size of the file, in bytes.
  public let bytes: Int

  /// Copies the store of a directory into a file that only its user may read; also while servers use the directory.
  ///
  /// The file is there once it is whole, checked and on the disk. No commit waits for it; what is committed meanwhile is not in it, and
  /// makes the store's log longer until the copy is done.
  ///
  /// - Parameters:
  ///   - directory: the state directory.
  ///   - file: where the copy goes.
  ///   - isReplacing: whether a file that is there is replaced.
  /// - Throws: ``StoreError`` that says what to do.
  package init(of directory: String, to file: String, replacing isReplacing: Bool = false) throws(StoreError) {
    let store = "\(directory)/\(SQLiteStore.fileName)"
    guard access(store, F_OK) == 0 else {
      throw StoreError("There is no session store in \(directory): name a server's state directory with --state-dir.")
    }
    guard !Self.isPart(file, ofStoreIn: directory) else {
      throw StoreError("\(file) belongs to the session store itself: name another file.")
    }
    func check() throws(StoreError) {
      guard isReplacing || access(file, F_OK) != 0 else {
        throw StoreError("There is a file \(file) already: name another one, or say --force to replace it.")
      }
    }
    // Now and in the end: it may take long.
    try check()
    let copy = try StoreCopy(of: store, besides: file)
    do {
      try check()
      try copy.put(at: file)
    } catch {
      copy.discard()
      throw error as? StoreError ?? StoreError("\(error)")
    }
    (sessionCount, bytes) = (copy.sessionCount, copy.bytes)
  }

  /// Whether a name is that of the store's file, or of one that SQLite has beside it.
  private static func isPart(_ file: String, ofStoreIn directory: String) -> Bool {
    guard FileIdentity(StoreCopy.directory(of: file)) == FileIdentity(directory) else { return false }
    let name = file.split(separator: "/").last ?? ""
    return SQLiteStore.fileSuffixes.contains { name == SQLiteStore.fileName + $0 }
  }
}
