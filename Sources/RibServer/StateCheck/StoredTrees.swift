import GRDB
import RibCore
import Wire

/// The sessions in the file of an ``SQLiteStore``, for a program that only reads: the file is neither written nor locked.
///
/// Nothing may write the file meanwhile: it is a copy of a store that no server uses.
final class StoredTrees {
  /// The part of a stored session that its tree comes back from.
  struct StoredTree {
    /// The session's identity, which never changes.
    let identity: SessionIdentity
    /// The first client's words about itself, and the person behind it; nil if there is neither.
    let profile: ClientProfile?
    /// The nodes.
    let tree: TreeSnapshot
    /// The actions and effects that ran when servers died.
    let crashes: [StoredSession.Crash]
  }

  private let database: DatabaseQueue
  private let statements: SQLiteStore.Statements
  private let selectSession: SQLiteStatement

  /// Whether the file has the tables that this program knows; otherwise it can only be brought to them.
  let isCurrent: Bool

  /// Opens the file.
  ///
  /// - Parameter path: the file; nothing may be left for it in a write-ahead log.
  /// - Throws: ``StoreError`` if it is no store, or one that a newer program has written.
  init(_ path: String) throws(StoreError) {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.label = "ribserver.check"
    do {
      let database = try DatabaseQueue(path: Self.uri(of: path), configuration: configuration)
      let migrator = SQLiteStore.migrator
      guard try database.read({ try !migrator.hasBeenSuperseded($0) }) else {
        throw StoreError("\(path) was written by a newer version of this program: use that one.")
      }
      self.database = database
      isCurrent = try database.read { try migrator.hasCompletedMigrations($0) }
      statements = try database.read { SQLiteStore.Statements($0) }
      selectSession = try database.read { SQLiteStatement(Self.selectSessionSQL, $0) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(opening: path, error)
    }
  }

  /// The characters that are themselves in an address.
  private static let plainCharacters = Set("/.-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// The file's address, by which SQLite opens it without a lock, and makes no other file beside it.
  private static func uri(of path: String) -> String {
    let escaped = path.utf8.map { byte -> String in
      let character = Character(UnicodeScalar(byte))
      if plainCharacters.contains(character) { return String(character) }
      let digits = String(byte, radix: 16)
      return "%\(digits.count < 2 ? "0" : "")\(digits)"
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  /// A session that is being deleted bit by bit has a name that begins with `-`.
  private static let selectSessionSQL = """
    SELECT sid, app, parameters, coalesce(progress.root, session.root), coalesce(progress.lastNode, session.lastNode),
      coalesce(progress.transactions, session.transactions), clients
      FROM session LEFT JOIN change AS progress ON progress.session = id AND node = 0 AND seq = 0
        AND progress.lease = session.lease WHERE id = ?
    """

  /// The numbers of all sessions, in the order in which they were begun.
  ///
  /// - Throws: ``StoreError``.
  func rows() throws(StoreError) -> [Int64] {
    do {
      return try database.read { database in
        try Int64.fetchAll(database, sql: "SELECT id FROM session WHERE sid NOT LIKE '-%' ORDER BY id")
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// The name and the app of a session.
  ///
  /// - Parameter row: its number.
  /// - Returns: nil if there is no such session.
  /// - Throws: ``StoreError`` if the row is damaged.
  func identity(_ row: Int64) throws(StoreError) -> SessionIdentity? {
    do {
      return try database.read { _ in
        var identity: SessionIdentity?
        try selectSession.rows(.integer(row)) { row in
          identity = SessionIdentity(id: row.text(0), app: row.text(1), parameters: row.optionalText(2))
        }
        return identity
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Reads a session.
  ///
  /// - Parameter row: its number.
  /// - Returns: nil if there is no such session.
  /// - Throws: ``StoreError`` if it is damaged.
  func session(_ row: Int64) throws(StoreError) -> StoredTree? {
    do {
      return try database.read { _ in try read(row) }
    } catch {
      throw StoreError(error)
    }
  }

  private func read(_ row: Int64) throws -> StoredTree? {
    let nodes = try SQLiteStore.loadNodes(of: row, statements)
    var crashes: [StoredSession.Crash] = []
    try statements.selectCrashes.rows(.integer(row)) { row in
      crashes.append(StoredSession.Crash(client: row.integer(0), number: row.integer(1), count: row.integer(2)))
    }
    var stored: StoredTree?
    try selectSession.rows(.integer(row)) { row in
      guard let transactions = UInt64(exactly: row.integer(5)) else {
        throw StoreError("The session has done \(row.integer(5)) transactions.")
      }
      stored = StoredTree(
        identity: SessionIdentity(id: row.text(0), app: row.text(1), parameters: row.optionalText(2)),
        profile: try [ClientRecord](json: row.text(6), numbers: nil).first?.profile,
        tree: TreeSnapshot(root: row.integer(3), lastID: row.integer(4), transactions: transactions, nodes: nodes),
        crashes: crashes)
    }
    return stored
  }
}
