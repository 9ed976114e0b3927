import GRDB
import GRDBSQLite

/// A statement that is prepared when it is used for the first time, and used again and again without a detour: a commit runs two of
/// them for each session.
///
/// To prepare all that a store may run takes as long as all else that a start does. It belongs to the thread that the store's
/// connection is used on.
final class SQLiteStatement {
  private let sql: String
  private unowned let database: Database
  /// Nil until it is used.
  private var prepared: Statement?

  /// A statement that is not prepared.
  ///
  /// - Parameters:
  ///   - sql: one statement.
  ///   - database: the connection.
  init(_ sql: String, _ database: Database) {
    self.sql = sql
    self.database = database
  }

  /// Prepares the statement, if it is not.
  ///
  /// - Throws: `DatabaseError`.
  func prepare() throws { _ = try handle() }

  /// The statement, ready to be run.
  ///
  /// - Throws: `DatabaseError` if it cannot be prepared.
  private func handle() throws -> OpaquePointer {
    if let prepared { return prepared.sqliteStatement }
    let statement = try database.makeStatement(sql: sql)
    prepared = statement
    return statement.sqliteStatement
  }

  /// A value for a parameter.
  enum Value {
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Text as its UTF-8.
    case utf8([UInt8])
    case null

    static func integer(_ value: Int) -> Value { .integer(Int64(value)) }
    static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    static func flag(_ value: Bool) -> Value { .integer(value ? 1 : 0) }
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Parameter values: for its parameters, in order.
  /// - Throws: `DatabaseError`.
  func run(_ values: Value...) throws {
    let handle = try handle()
    defer { finish(handle) }
    try bind(values, to: handle)
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code, handle) }
  }

  /// Runs a statement and looks at its rows.
  ///
  /// - Parameters:
  ///   - values: for its parameters, in order.
  ///   - body: called with each row.
  /// - Throws: `DatabaseError`, or what `body` throws.
  func rows(_ values: Value..., body: (Row) throws -> Void) throws {
    let handle = try handle()
    defer { finish(handle) }
    try bind(values, to: handle)
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: try body(Row(handle: handle))
      case SQLITE_DONE: return
      case let code: throw error(code, handle)
      }
    }
  }

  // MARK: Step by step

  /// Binds a number, for ``runOnce()``: what runs for each session of a commit passes no array of values.
  ///
  /// - Throws: `DatabaseError`.
  func bind(_ value: Int, at index: Int32) throws {
    let handle = try handle()
    let code = sqlite3_bind_int64(handle, index, Int64(value))
    guard code == SQLITE_OK else { throw error(code, handle) }
  }

  /// Binds a text that stays where it is until ``runOnce()`` has returned.
  ///
  /// - Throws: `DatabaseError`.
  func bind(borrowed utf8: UnsafeBufferPointer<UInt8>, at index: Int32) throws {
    let handle = try handle()
    let code = Self.bind(utf8, to: handle, at: index, isBorrowed: true)
    guard code == SQLITE_OK else { throw error(code, handle) }
  }

  /// Runs a statement that returns no rows and whose parameters are bound.
  ///
  /// - Throws: `DatabaseError`.
  func runOnce() throws {
    let handle = try handle()
    defer { finish(handle) }
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE else { throw error(code, handle) }
  }

  /// A row, as long as it is looked at.
  struct Row {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
    /// A number, if it is one that is not an integer.
    func real(_ column: Int32) -> Double? {
      sqlite3_column_type(handle, column) == SQLITE_FLOAT ? sqlite3_column_double(handle, column) : nil
    }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    /// All of it, also what stands behind a NUL.
    func text(_ column: Int32) -> String {
      guard let start = sqlite3_column_text(handle, column) else { return "" }
      let count = Int(sqlite3_column_bytes(handle, column))
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
    /// A text as its UTF-8.
    func utf8(_ column: Int32) -> [UInt8] {
      guard let start = sqlite3_column_text(handle, column) else { return [] }
      return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
    /// Has the pages read on which a text is.
    func fetch(_ column: Int32) { _ = sqlite3_column_text(handle, column) }
    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  }

  /// Makes the statement ready for the next time: of what was bound nothing is left.
  private func finish(_ handle: OpaquePointer) {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  private func bind(_ values: [Value], to handle: OpaquePointer) throws {
    var index: Int32 = 0
    for value in values {
      index += 1
      let code =
        switch value {
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .real(let value): sqlite3_bind_double(handle, index, value)
        case .null: sqlite3_bind_null(handle, index)
        case .text(var text): text.withUTF8 { Self.bind($0, to: handle, at: index, isBorrowed: false) }
        case .utf8(let bytes): bytes.withUnsafeBufferPointer { Self.bind($0, to: handle, at: index, isBorrowed: false) }
        }
      guard code == SQLITE_OK else { throw error(code, handle) }
    }
  }

  private static func bind(
    _ utf8: UnsafeBufferPointer<UInt8>, to handle: OpaquePointer, at index: Int32, isBorrowed: Bool
  ) -> Int32 {
    utf8.withMemoryRebound(to: CChar.self) { bytes in
      // Nothing has no address, and would be null. SQLite takes a copy of what may be gone when the statement runs.
      withUnsafePointer(to: 0) { (nothing: UnsafePointer<CChar>) in
        sqlite3_bind_text64(
          handle, index, bytes.baseAddress ?? nothing, UInt64(bytes.count),
          isBorrowed ? nil : unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
      }
    }
  }

  private func error(_ code: Int32, _ handle: OpaquePointer) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))), sql: sql)
  }
}
