import Foundation
import GRDB
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// A file of which pages are damaged.
@Suite struct DamagedSQLiteStoreTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock()

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
  }

  /// A cut whose node takes pages of its own.
  private func large(_ mark: Character, version: Int64 = 1) -> SessionCut {
    StoreSample.cut(
      changed: [StoreSample.node(1, String(repeating: mark, count: 50_000))], version: version)
  }

  /// One session's pages are damaged: every other session is written.
  @Test func damageOfOneSession_costsOneSession() async throws {
    let store = try open()
    let names = (0..<20).map { "\($0)" }
    let leases = try names.map { try store.create($0, large($0 == "7" ? "B" : "G")) }
    try directory.damagePages(of: "B")
    let writes = leases.map { StoreRequest.write($0, large("N", version: 2)) }
    let error = #expect(throws: StoreError.self) { try store.perform(writes) }
    #expect(error?.isGlobal == false, "\(error?.description ?? "")")
    let results = try await WriterRun.results(of: writes, on: store)
    for (name, result) in zip(names, results) {
      #expect(result == (name == "7" ? "refused" : "written"))
      let loaded = try await WriterRun.results(of: [.load(sessionID: name)], on: store)
      #expect(loaded == [name == "7" ? "refused" : "loaded"])
    }
    // It is not taken for a file that is damaged.
    #expect(
      try await WriterRun.results(of: [.create(StoreSample.identity("new"), large("N"))], on: store) == ["written"])
    store.close()
  }

  /// No session can be written any more: that is nobody's own damage.
  @Test func damageOfTheFile_isTheStores() throws {
    let store = try open()
    let lease = try store.create("one", large("B"))
    try directory.damageAllPages()
    let error = #expect(throws: StoreError.self) { try store.write(lease, large("N", version: 2)) }
    #expect(error?.isGlobal == true, "\(error?.description ?? "")")
    store.close()
  }

  /// What looks whether others can be written leaves nothing behind.
  @Test func lookingForDamage_leavesNothing() throws {
    let store = try open()
    let lease = try store.create("one", large("B"))
    try directory.damagePages(of: "B")
    #expect(throws: StoreError.self) { try store.write(lease, large("N", version: 2)) }
    let rows = try store.database.read {
      try Int.fetchAll($0, sql: "SELECT (SELECT count(*) FROM session) UNION ALL SELECT count(*) FROM nack")
    }
    #expect(rows == [1, 0])
    store.close()
  }
}

extension TemporaryDirectory {
  /// Overwrites a page in the file itself: the middle one of those that are full of a character.
  func damagePages(of mark: Character) throws {
    let damage = StoreDamage(path: store)
    try damage.checkpoint()
    let pages = try damage.pages(fullOf: try #require(mark.asciiValue))
    let page = try #require(pages.dropFirst(pages.count / 2).first)
    try damage.overwrite(page, with: [UInt8](repeating: 0xA5, count: StoreDamage.pageSize))
    // Whoever has read the page reads it again.
    let other = try DatabaseQueue(path: store)
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 7") }
  }

  /// Overwrites all but the header.
  func damageAllPages() throws {
    let other = try DatabaseQueue(path: store)
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 7") }
  }
}
