import Foundation
import GRDB
import Testing
import Wire

@testable import RibServer

/// What `ribctl poison` reads and writes.
@Suite struct StateDirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Two sessions: one with two things set aside, one with one; and something that was found once only.
  private func makeStore() throws -> SQLiteStore {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    _ = try store.create("one")
    _ = try store.create("two")
    let database = try DatabaseQueue(path: directory.store)
    try database.write {
      try $0.execute(
        sql: """
          INSERT INTO crash SELECT id, 1, 5, 2 FROM session WHERE sid = 'one';
          INSERT INTO crash SELECT id, 0, 77, 2 FROM session WHERE sid = 'one';
          INSERT INTO crash SELECT id, 2, 6, 1 FROM session WHERE sid = 'one';
          INSERT INTO crash SELECT id, 0, 0, 3 FROM session WHERE sid = 'two';
          """)
    }
    return store
  }

  private func poison() throws -> [String] { try StateDirectory(directory.path).poison().map(\.description) }

  private static let effect = "one app: what an effect sent, 2 times"
  private static let action = "one app: action 5 of client 1, 2 times"
  private static let wake = "two app: its return to memory, 3 times"

  @Test func whatIsSetAside_isListed_andLiftedForASession() throws {
    let store = try makeStore()
    #expect(try poison() == [Self.effect, Self.action, Self.wake])
    #expect(try StateDirectory(directory.path).lift(session: "one") == 2)
    #expect(try poison() == [Self.wake])
    #expect(try StateDirectory(directory.path).lift(session: "one") == 0)
    #expect(try store.load("two")?.crashes.map(\.count) == [3])
    // What was found once is no poison, and stays.
    #expect(try store.load("one")?.crashes.map(\.number) == [6])
  }

  @Test func all_areLiftedAtOnce() throws {
    let store = try makeStore()
    #expect(try StateDirectory(directory.path).lift() == 3)
    #expect(try poison().isEmpty)
    #expect(try store.load("two")?.crashes.isEmpty == true)
  }

  @Test func directoryWithoutAStore_isAClearError_andGetsNone() throws {
    let error = #expect(throws: StoreError.self) { try StateDirectory(directory.path) }
    #expect(error?.description.contains("There is no session store in \(directory.path)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test func fileOfAnotherVersion_isAClearError() throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try store.database.writeWithoutTransaction {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')")
    }
    store.close()
    let error = #expect(throws: StoreError.self) { try StateDirectory(directory.path) }
    #expect(error?.description.contains("is of another version") == true)
  }
}
