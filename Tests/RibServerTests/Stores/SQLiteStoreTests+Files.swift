import Foundation
import GRDB
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// Files that are removed, replaced or cut short under a store that is open.
extension SQLiteStoreTests {
  private var log: String { directory.store + "-wal" }
  private var index: String { directory.store + "-shm" }

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func remove(_ paths: String...) throws {
    for path in paths { try FileManager.default.removeItem(atPath: path) }
  }

  private func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: other)
  }

  private func cut(_ path: String, to size: Int) throws { try #require(truncate(path, off_t(size)) == 0) }

  /// What a look finds, without what is done about it; nil for nothing.
  private func found(_ store: SQLiteStore) -> String? {
    _ = try? store.look()
    return store.fault?.description
  }

  /// The revision of a session, as the next process finds it.
  private func storedRevision(_ path: String? = nil) throws -> Int? {
    let store = try SQLiteStore(path: path ?? directory.store, durability: .process)
    defer { store.close() }
    return try store.load()?.state.revision
  }

  // MARK: Modes

  @Test func files_areForTheirUserAlone() throws {
    let before = umask(0)
    defer { umask(before) }
    let store = try open()
    _ = try store.create()
    for path in [directory.store, log, index] { #expect(try mode(path) == 0o600) }
    store.close()
    // As an earlier version has made them.
    for path in [directory.store] { chmod(path, 0o644) }
    let again = try open()
    defer { again.close() }
    for path in [directory.store, log, index] { #expect(try mode(path) == 0o600) }
  }

  /// A directory that others may read is named, and refused where clients have to say who they are.
  @Test func openDirectory_isNamed_orRefused() throws {
    let path = directory.path + "/open"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    var settings = ServerSettings()
    (settings.store, settings.stateDirectory) = (.sqlite, path)
    for (mode, isOpen) in [(0o755, true), (0o720, true), (0o711, false), (0o700, false)] as [(mode_t, Bool)] {
      #expect(chmod(path, mode) == 0)
      let log = CollectedLog()
      try settings.openStore(loopCount: 1, log.logger).store.close()
      #expect(log.texts.contains { $0.contains("chmod 700 \(path)") } == isOpen)
      if isOpen {
        let error = #expect(throws: StoreError.self) {
          try settings.openStore(loopCount: 1, log.logger, isPrivate: true)
        }
        #expect(error?.description.contains("can be read or written by others") == true)
      } else {
        try settings.openStore(loopCount: 1, log.logger, isPrivate: true).store.close()
      }
    }
  }

  // MARK: Files that are removed

  /// What was committed before and after is there for the next process, although this one ends without a word.
  @Test(arguments: [["", "-wal", "-shm"], [""], ["", "-wal"], ["-wal"], ["-shm"], ["-wal", "-shm"]])
  func removedFile_isNoticed_andWrittenAnew(_ suffixes: [String]) throws {
    // No second passes unless it is said.
    let store = try SQLiteStore(path: directory.store, durability: .disk, clock: TestClock().clock)
    try store.begin()
    let lease = try store.create()
    #expect(try store.look())
    for suffix in suffixes { try remove(directory.store + suffix) }
    // Within the second before the next look.
    #expect(try store.write(lease, StoreSample.cut(StoreSample.state(revision: 2), version: 2)) == "written")
    let error = #expect(throws: StoreError.self) { try store.look() }
    #expect(error?.isGlobal == true && error?.endangersAll == true)
    #expect(error?.description.contains("was removed.") == true)
    // Nothing is committed to a file that has no name.
    #expect(throws: StoreError.self) {
      try store.write(lease, StoreSample.cut(StoreSample.state(revision: 3), version: 3))
    }
    _ = try store.perform(.probe)
    #expect(try store.look())
    for suffix in ["", "-wal", "-shm"] { #expect(try mode(directory.store + suffix) == 0o600) }
    #expect(try store.write(lease, StoreSample.cut(StoreSample.state(revision: 4), version: 4)) == "written")
    // Another process sees it: the log that is written is the one that has the name.
    #expect(try storedRevision() == 4)
    let rest = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(rest.filter { $0.hasPrefix("\(SQLiteStore.fileName).") }.isEmpty, "\(rest)")
    store.close()
  }

  /// The same if all of the directory is removed.
  @Test func removedDirectory_isMadeAnew() throws {
    let store = try open()
    try store.begin()
    _ = try store.create()
    try remove(directory.path)
    #expect(throws: StoreError.self) { try store.look() }
    _ = try store.perform(.probe)
    #expect(try mode(directory.path) == 0o700)
    store.close()
    #expect(try storedRevision() == 1)
  }

  /// A file that is back is written to as before.
  @Test func fileThatComesBack_isUsed() throws {
    let store = try open()
    let lease = try store.create()
    try move(directory.store, to: "\(directory.path)/elsewhere")
    #expect(throws: StoreError.self) { try store.look() }
    try move("\(directory.path)/elsewhere", to: directory.store)
    #expect(try store.write(lease, StoreSample.cut(StoreSample.state(revision: 2), version: 2)) == "written")
    store.close()
    #expect(try storedRevision() == 2)
  }

  /// Requests look as well: the writer's thread may have no time for anything else.
  @Test func requests_lookOnceASecond() throws {
    let clock = TestClock()
    let store = try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
    defer { store.close() }
    let lease = try store.create()
    clock.advance(1)
    #expect(try store.write(lease, StoreSample.cut(version: 2)) == "written")
    try remove(log)
    #expect(try store.write(lease, StoreSample.cut(version: 3)) == "written")
    clock.advance(1)
    #expect(throws: StoreError.self) { try store.write(lease, StoreSample.cut(version: 4)) }
  }

  /// What another process writes to the old file would be lost: the name waits until that process is silent.
  @Test func storeThatOthersUse_isNotWrittenAnew() throws {
    let clock = TestClock()
    let stores = try (0..<2).map { _ in
      try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
    }
    try stores[0].begin()
    try stores[1].begin(as: 1, besides: [0])
    _ = try stores[1].create()
    _ = try stores[0].perform(.probe)
    try remove(directory.store)
    for store in stores { #expect(throws: StoreError.self) { try store.look() } }
    #expect(throws: StoreError("\(directory.store) was removed, and another process uses it: stop it.")) {
      try stores[0].perform([.probe])
    }
    // It has died.
    clock.advance(61)
    _ = try stores[0].perform(.probe)
    #expect(try stores[0].load()?.state.revision == 1)
    // It has not: it leaves alone what the other one has made.
    #expect(throws: StoreError.self) { try stores[1].perform([.probe]) }
    stores[1].close()
    #expect(try stores[0].look())
    stores[0].close()
    #expect(try storedRevision() == 1)
  }

  /// A log whose frames another process still uses is not moved.
  @Test func logThatOthersUse_isLeftAlone() throws {
    let (store, other) = (try open(), try open())
    try store.begin()
    _ = try store.create()
    try remove(log)
    #expect(throws: StoreError.self) { try store.look() }
    #expect(throws: StoreError.self) { try store.perform([.probe]) }
    other.close()
    _ = try store.perform(.probe)
    #expect(try store.look())
    #expect(try storedRevision() == 1)
    store.close()
  }

  /// A process that begins where another one runs whose store was removed does not begin with an empty one.
  @Test func storeRemovedUnderAnother_isNotBegunAnew() throws {
    let first = try open()
    try first.begin()
    _ = try first.create()
    try remove(directory.store, log, index)
    let second = try open()
    let error = #expect(throws: StoreError.self) { try second.begin(as: 1, besides: [0]) }
    #expect(error?.description.contains("was removed") == true)
    second.close()
    #expect(!FileManager.default.fileExists(atPath: directory.store))
    #expect(throws: StoreError.self) { try first.look() }
    _ = try first.perform(.probe)
    first.close()
    #expect(try storedRevision() == 1)
  }

  // MARK: Files that are others

  /// Neither store is harmed, and nothing of either is lost.
  @Test func replacedStore_isSavedBesideTheOther() throws {
    let store = try open()
    try store.begin()
    let lease = try store.create()
    let old = "\(directory.path)/old"
    try move(directory.store, to: old)
    try remove(log, index)
    let other = try open()
    _ = try other.create("other")
    #expect(found(store) == "\(directory.store) is another file than before.")
    #expect(throws: StoreError.self) { try store.write(lease, StoreSample.cut(version: 2)) }
    let rescued = "\(directory.store).rescued-1"
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try store.perform([.probe]) }
      #expect(error?.description.contains(rescued) == true)
    }
    #expect(try mode(rescued) == 0o600)
    store.close()
    // The log that has the name is the other's, and stays.
    #expect(FileManager.default.fileExists(atPath: log))
    #expect(try other.load("other") != nil)
    other.close()
    #expect(try storedRevision() == nil)
    #expect(try storedRevision(rescued) == 1)
    #expect(!FileManager.default.fileExists(atPath: "\(directory.store).rescued-2"))
  }

  /// The next process looks for the log beside the file that the link leads to, where it is not.
  @Test func storeBehindALink_isNoticed() throws {
    let store = try open()
    defer { store.close() }
    _ = try store.create()
    let moved = directory.store + "-moved"
    try FileManager.default.moveItem(atPath: directory.store, toPath: moved)
    try FileManager.default.createSymbolicLink(atPath: directory.store, withDestinationPath: moved)
    #expect(found(store) == "\(directory.store) is another file than before.")
  }

  @Test func replacedLog_isReplacedByWhatIsOpen() throws {
    let store = try open()
    try store.begin()
    _ = try store.create()
    try remove(log)
    try Data("something else".utf8).write(to: URL(fileURLWithPath: log))
    #expect(found(store) == "\(log) is another file than before.")
    _ = try store.perform(.probe)
    #expect(try store.look())
    store.close()
    #expect(try storedRevision() == 1)
  }

  // MARK: Sizes

  @Test(arguments: [false, true]) func fileThatIsCutShort_isNoticed(isCopied: Bool) throws {
    let store = try open()
    defer { store.close() }
    _ = try store.create()
    if isCopied {
      _ = try store.database.writeWithoutTransaction { try $0.checkpoint(.passive) }
      try cut(directory.store, to: try #require(fileSize(directory.store)) - 4096)
      #expect(found(store) == "\(directory.store) was cut short.")
    } else {
      try cut(log, to: try #require(fileSize(log)) - 4096)
      #expect(found(store) == "\(log) was cut short.")
    }
    #expect(throws: StoreError.self) { try store.perform([.probe]) }
  }

  @Test func emptiedStore_isSaved_ifAllIsInTheLog() throws {
    let store = try open()
    _ = try store.create()
    try cut(directory.store, to: 0)
    #expect(found(store) == "\(directory.store) was cut short.")
    #expect(throws: StoreError.self) { try store.perform([.probe]) }
    store.close()
    #expect(try storedRevision("\(directory.store).rescued-1") == 1)
  }

  /// The sizes follow what SQLite does: neither growth, nor a log that is begun anew, nor space that is given back is a fault.
  @Test func work_changesSizesWithoutAFault() throws {
    let (store, other) = (try open(), try open())
    defer {
      store.close()
      other.close()
    }
    let text = String(repeating: "x", count: 3000)
    for round in 0..<30 {
      let one = round % 2 == 0 ? store : other
      for number in 0..<40 {
        _ = try one.create("\(round) \(number)", StoreSample.cut(changed: [StoreSample.node(1, "\"\(text)\"")]))
        #expect(try store.look() && other.look())
      }
      if round % 3 == 2 {
        try one.database.writeWithoutTransaction { database in
          try database.execute(sql: "DELETE FROM session; PRAGMA incremental_vacuum")
          _ = try database.checkpoint(round % 2 == 0 ? .truncate : .passive)
        }
      }
      #expect(try store.look() && other.look())
    }
  }
}
