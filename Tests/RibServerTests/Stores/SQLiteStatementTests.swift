import GRDB
import Testing

@testable import RibServer

@Suite struct SQLiteStatementTests {
  /// A value that cannot be bound is an error, and no other one takes its place.
  @Test func valueThatCannotBeBound_isAnError() throws {
    try DatabaseQueue().write { database in
      try database.execute(sql: "CREATE TABLE t (a, b)")
      let insert = SQLiteStatement("INSERT INTO t VALUES (?, ?)", database)
      let error = #expect(throws: DatabaseError.self) { try insert.run(.integer(1), .integer(2), .integer(3)) }
      #expect(error?.resultCode == .SQLITE_RANGE)
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM t") == 0)
    }
  }

  @Test func whatWasBound_isNotBoundAgain() throws {
    try DatabaseQueue().write { database in
      try database.execute(sql: "CREATE TABLE t (a, b)")
      let insert = SQLiteStatement("INSERT INTO t VALUES (?, ?)", database)
      try insert.run(.text("a"), .utf8([0x62]))
      try insert.run(.text(""))
      let rows = try Row.fetchAll(database, sql: "SELECT a, b FROM t")
      #expect(rows[0] == ["a": "a", "b": "b"] && rows[1] == ["a": "", "b": nil])
    }
  }
}
