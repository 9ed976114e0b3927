import Foundation
import GRDB
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// A copy of a store's file, while others write to it and when something is wrong with it.
@Suite struct StoreCopyTests {
  private let directory: TemporaryDirectory
  private var target: String { "\(directory.path)/target" }

  init() throws { directory = try TemporaryDirectory() }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  /// All that was committed is in the copy, also what is only in the log; and the copy is one file.
  @Test func copy_hasWhatIsInTheLog_andIsOneFile() throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    defer { store.close() }
    let lease = try store.create("one")
    #expect(fileSize("\(directory.store)-wal") ?? 0 > 0)
    let copy = try StoreCopy(of: directory.store, besides: target)
    // Commits from here on are not in it, and wait for nobody.
    #expect(try store.write(lease, StoreSample.cut(StoreSample.state(revision: 2))) == "written")
    try copy.put(at: target)
    #expect(copy.sessionCount == 1 && copy.bytes == fileSize(target))
    #expect(try files() == ["sessions.sqlite", "sessions.sqlite-shm", "sessions.sqlite-wal", "target"])
    // Bytes 18 and 19 of the header: 1 for a file without a write-ahead log.
    #expect(try Data(contentsOf: URL(fileURLWithPath: target))[18..<20] == Data([1, 1]))
    let again = try SQLiteStore(path: target, durability: .process)
    defer { again.close() }
    #expect(try again.load()?.state.revision == 1)
  }

  /// A commit that comes while a copy is being made is done at once: `VACUUM INTO` only reads.
  @Test func commit_doesNotWaitForACopy() throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    defer { store.close() }
    let lease = try store.create("one")
    var result = ""
    let copy = try StoreCopy(of: directory.store, besides: target) { database in
      // The copy's transaction has begun, and reads what was there then.
      try database.execute(sql: "BEGIN; SELECT count(*) FROM session")
      result = try store.write(lease, StoreSample.cut(StoreSample.state(revision: 2)))
      try database.execute(sql: "COMMIT")
    }
    copy.discard()
    #expect(result == "written")
  }

  @Test func damagedStore_isNotCopied_andLeavesNothing() throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    for number in 1...200 {
      _ = try store.create(
        "session \(number)", StoreSample.cut(changed: [StoreSample.node(1, String(repeating: "1", count: 2000))]))
    }
    store.close()
    let handle = try #require(FileHandle(forWritingAtPath: directory.store))
    try handle.seek(toOffset: UInt64((fileSize(directory.store) ?? 0) / 2))
    try handle.write(contentsOf: Data(repeating: 0xEE, count: 16_384))
    try handle.close()
    let before = try files()
    let error = #expect(throws: StoreError.self) { try StoreCopy(of: directory.store, besides: target) }
    #expect(error?.description.contains("damaged") == true, "\(error?.description ?? "")")
    #expect(try files() == before)
  }

  @Test func whatIsNoStore_isAClearError() throws {
    let missing = #expect(throws: StoreError.self) { try StoreCopy(of: "\(directory.path)/none", besides: target) }
    #expect(missing?.description == "open \(directory.path)/none: No such file or directory")
    try DatabaseQueue(path: directory.store).write { try $0.execute(sql: "CREATE TABLE other (id INTEGER)") }
    let other = #expect(throws: StoreError.self) { try StoreCopy(of: directory.store, besides: target) }
    #expect(other?.description == "\(directory.store) is no session store.")
    try Data(String(repeating: "A text. ", count: 500).utf8).write(to: URL(fileURLWithPath: directory.store))
    #expect(throws: StoreError.self) { try StoreCopy(of: directory.store, besides: target) }
    #expect(try files() == ["sessions.sqlite"])
  }

  @Test func directoryThatIsNotThere_isAClearError() throws {
    try SQLiteStore(path: directory.store, durability: .process).close()
    let error = #expect(throws: StoreError.self) {
      try StoreCopy(of: directory.store, besides: "\(directory.path)/none/target")
    }
    #expect(error?.description == "make \(directory.path)/none/target: No such file or directory")
  }
}
