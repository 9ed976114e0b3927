import GRDB
import Testing
import Wire

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

  /// A statement of a store is prepared when it is needed for the first time, which may be long after the start.
  @Test func statementsOfTheStore_canAllBePrepared() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try store.database.writeWithoutTransaction { database in
      let statements = Mirror(reflecting: SQLiteStore.Statements(database)).children
      #expect(statements.count > 30)
      for (name, value) in statements {
        let statement = try #require(value as? RibServer.SQLiteStatement, "\(name ?? "")")
        try statement.prepare()
      }
    }
    store.close()
  }
}
