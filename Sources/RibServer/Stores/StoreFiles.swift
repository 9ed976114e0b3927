import CSQLite
import GRDB
import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of a store as they were when it was opened, so that a file is missed that is removed, replaced or cut short.
///
/// SQLite keeps its files open and goes on writing to a file that has no name any more. All that is written there is lost when the
/// process ends. The names are looked at and the files are not opened: to close a file would give up the locks that this process has
/// on it (<https://www.sqlite.org/howtocorrupt.html>, §2.2).
struct StoreFiles {
  /// What has become of the files.
  enum Fault: Equatable, CustomStringConvertible {
    /// There are no files of these names.
    case missing([String])
    /// The name belongs to another file.
    case replaced(String)
    /// The file is shorter than what SQLite has written to it.
    case short(String)

    /// What happened, for an operator.
    var description: String {
      switch self {
      case .missing(let names): "\(names.joined(separator: " and ")) was removed."
      case .replaced(let name): "\(name) is another file than before."
      case .short(let name): "\(name) was cut short."
      }
    }
  }

  private let path: String
  /// Of a name that is a link, the link is known as well: SQLite finds the files beside the store's by where it leads.
  private let files: [(name: String, identity: FileIdentity, link: FileIdentity?)]

  /// The files of a store that is open; nil if the system knows no such file, as in a simulation.
  ///
  /// - Parameter path: the store's file.
  init?(_ path: String) {
    guard FileIdentity(path) != nil else { return nil }
    self.path = path
    // Behind the store's own, so that a store without a name is noticed as such.
    files = ["", "-wal", "-shm"].compactMap { suffix in
      FileIdentity(path + suffix).map { (path + suffix, $0, FileIdentity(link: path + suffix)) }
    }
  }

  /// What has become of them.
  ///
  /// - Parameter connection: SQLite's, to compare the sizes with.
  /// - Returns: nil if all is as it was.
  func fault(_ connection: SQLiteConnection?) -> Fault? {
    var missing: [String] = []
    for file in files {
      guard let now = FileIdentity(file.name) else {
        missing.append(file.name)
        continue
      }
      if now != file.identity || FileIdentity(link: file.name) != file.link { return .replaced(file.name) }
    }
    guard missing.isEmpty else { return .missing(missing) }
    return connection.flatMap(shortFile).map { .short($0) }
  }

  /// Whether the store's own file has no name any more: the names beside it may be those of another store.
  var isNameLost: Bool { files.first.map { FileIdentity(path) != $0.identity } ?? false }

  /// Removes the files beside the store's own, which nothing is to be read from any more.
  ///
  /// - Throws: ``StoreError`` if another file has one of their names; nothing is removed then.
  func removeLogs() throws(StoreError) {
    let logs = files.dropFirst()
    for file in logs {
      let now = FileIdentity(file.name)
      guard now == nil || now == file.identity else { throw StoreError("\(Fault.replaced(file.name))") }
    }
    for file in logs { unlink(file.name) }
  }

  // MARK: Sizes

  /// The name of a file that is shorter than SQLite has made it.
  private func shortFile(_ connection: SQLiteConnection) -> String? {
    // Where the index has no page, a look at its memory would end the process.
    if let size = fileSize("\(path)-shm"), size < WALIndex.pageSize { return "\(path)-shm" }
    guard let index = WALIndex(connection), let log = fileSize("\(path)-wal"), let size = fileSize(path),
      // Another process may have begun the log anew between the two.
      WALIndex(connection) == index
    else { return nil }
    if log < index.logSize { return "\(path)-wal" }
    return size < index.storeSize ? path : nil
  }
}

/// What the index of a write-ahead log says of sizes (<https://www.sqlite.org/walformat.html>, §2).
private struct WALIndex: Equatable {
  /// The size of the index's first part, in bytes.
  static let pageSize = 32_768

  /// The header of the index, as often as it is there, and the number of frames that were copied into the store's file.
  private let header: [UInt8]

  /// Reads what SQLite has mapped; nil if another process writes it at the moment, or if there is none.
  init?(_ connection: SQLiteConnection) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var memory: UnsafeMutableRawPointer?
    // It is mapped already, and so nothing is made.
    guard map(file, 0, Int32(Self.pageSize), 0, &memory) == SQLITE_OK, let memory else { return nil }
    header = Array(UnsafeRawBufferPointer(start: memory, count: 100))
    guard header[0..<48] == header[48..<96], header[12] != 0 else { return nil }
  }

  private func number(at offset: Int) -> Int {
    header.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  }

  private var frameCount: Int { number(at: 16) }
  private var pageBytes: Int {
    let size = header.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 14, as: UInt16.self)) }
    // 65,536 does not fit.
    return size == 1 ? 65_536 : size
  }

  /// How long the log is at least.
  var logSize: Int { frameCount == 0 ? 0 : 32 + frameCount * (24 + pageBytes) }

  /// How long the store's file is at least: as long as it is to be once all frames were copied, and a page before.
  var storeSize: Int {
    let pages = number(at: 20)
    return frameCount == number(at: 96) ? pages * pageBytes : min(pages, 1) * pageBytes
  }
}
