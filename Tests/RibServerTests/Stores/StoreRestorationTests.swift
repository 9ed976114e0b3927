import Foundation
import GRDB
import RibCore
import Testing
import Wire

@testable import RibServer

/// What a store that is put back is made to be; `BackupTests` has how its clients find it.
@Suite struct StoreRestorationTests {
  private let directory: TemporaryDirectory
  private var state: String { "\(directory.path)/state" }
  private var store: String { "\(state)/\(SQLiteStore.fileName)" }
  private var copy: String { "\(directory.path)/copy" }
  private let clock = TestClock()

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(path: store, durability: .process, clock: clock.clock)
  }

  private func execute(_ sql: String, in path: String) throws {
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: state).sorted() }

  /// A process had a session in memory when the copy was made, and had written its progress only.
  @Test func sessionThatWasHeld_isFree_andHasItsProgress() throws {
    let first = try open()
    try first.begin()
    let lease = try first.create("one", StoreSample.cut(StoreSample.state(isHeld: true)))
    var progress = StoreSample.cut(StoreSample.state(revision: 7, isHeld: true), changed: [], version: 2)
    progress.isProgress = true
    #expect(try first.write(lease, progress) == "written")
    _ = try StoreBackup(of: state, to: copy)
    first.close()

    let done = try StoreRestoration(from: copy, to: state)
    #expect(done.sessionCount == 1 && done.replaced == "\(store).replaced-1")
    let second = try open()
    defer { second.close() }
    try second.begin()
    let loaded = try #require(try second.load())
    #expect(loaded.state.revision == 7 && !loaded.state.isHeld && loaded.lease.number > lease.number + 1000)
    #expect(try second.write(lease, StoreSample.cut(version: 3)) == "lost")
  }

  /// No view that a client has seen since is taken for the one that is put back.
  @Test func sessionAtRest_isOfAnotherEpoch() throws {
    let first = try open()
    try first.begin()
    let rest = SessionState.Rest(epoch: "epoch", viewHash: "hash", program: nil)
    _ = try first.create("one", StoreSample.cut(StoreSample.state(rest: rest)))
    _ = try StoreBackup(of: state, to: copy)
    #expect(try first.load()?.state.rest?.epoch == "epoch")
    first.close()
    _ = try StoreRestoration(from: copy, to: state)
    let second = try open()
    defer { second.close() }
    #expect(try second.load()?.state.rest == nil)
  }

  /// Nobody could come back to what is put back: all sessions are as old as on the day of the copy, less the time that they were alone.
  @Test func sessions_areNotOlder_butWhatIsBeingForgottenIs() throws {
    let first = try open()
    try first.begin()
    _ = try first.create("old", StoreSample.cut(StoreSample.state(alone: .seconds(5000))))
    _ = try first.create("gone")
    first.close()
    try execute("UPDATE session SET sid = '-gone', seen = 0 WHERE sid = 'gone'", in: store)
    _ = try StoreBackup(of: state, to: copy)
    clock.advance(1_000_000)
    let done = try StoreRestoration(from: copy, to: state)
    #expect(done.time == 1_800_000_000)
    let second = try open()
    defer { second.close() }
    try second.begin()
    #expect(try second.forgetOld(acted: 3600, untouched: 3600) == ["gone"])
    #expect(try second.load("old") != nil)
  }

  // MARK: Persons

  private static func person(_ name: String) -> PersonID { PersonID(name, issuer: "issuer") }

  @Test func signOutsSinceTheCopy_areKept_andOlderOnesStayAsTheyAre() throws {
    let first = try open()
    try first.begin()
    func signOut(_ name: String, _ time: Int, _ mark: Int) throws {
      _ = try first.perform(.signOut(Revocation(Self.person(name), at: time, mark: mark), keeping: .seconds(600)))
    }
    try signOut("ada", 100, 50)
    try signOut("bob", 100, 60)
    _ = try StoreBackup(of: state, to: copy)
    try signOut("bob", 200, 70)
    try signOut("cid", 300, 80)
    first.close()
    #expect(try StoreRestoration(from: copy, to: state).signOutCount == 2)
    let second = try open()
    defer { second.close() }
    guard case .revocations(let found, _) = try second.perform(.findRevocations(after: 0)) else {
      throw StoreError("no revocations")
    }
    let lines = found.map { "\($0.person.subject) \($0.time) \($0.mark)" }.sorted()
    #expect(lines == ["ada 100 50", "bob 200 70", "cid 300 80"])
    // The same once more: none is newer.
    second.close()
    #expect(try StoreRestoration(from: copy, to: state).signOutCount == 2)
    #expect(
      try files().filter { $0.contains("replaced") } == ["sessions.sqlite.replaced-1", "sessions.sqlite.replaced-2"])
  }

  // MARK: What is replaced, and what cannot be put back

  /// What ran when a process of the replaced store died is not to blame in the store that is put back, which may know the same sessions.
  @Test func notesOfTheReplacedStore_areForgotten_onceItIsReplaced() throws {
    let first = try open()
    try first.begin()
    _ = try first.create("one")
    _ = try StoreBackup(of: state, to: copy)
    first.close()
    let crash = FlightEntry(sessionID: "one", client: 1, number: 7)
    do {
      // Two processes.
      let other = try FlightRecorder.open(in: state, slotCount: 1) { _ in }
      let recorder = try FlightRecorder.open(in: state, slotCount: 1) { _ in }
      recorder.slot(0).begin("one", client: 1, number: 7)
      withExtendedLifetime(other) {}
    }
    struct Unwanted: Error {}
    func crashes() throws -> [FlightEntry] {
      var found: [FlightEntry] = []
      #expect(throws: Unwanted.self) {
        _ = try FlightRecorder.open(in: state, slotCount: 1) { start throws in
          found = start.crashes
          throw Unwanted()
        }
      }
      return found
    }
    // A copy that is not put back changes nothing.
    #expect(throws: StoreError.self) { try StoreRestoration(from: store, to: state) }
    #expect(try crashes() == [crash])
    _ = try StoreRestoration(from: copy, to: state)
    #expect(try crashes().isEmpty)
  }

  /// A store whose parts cannot be given other names stays where it is, under one name.
  @Test func storeThatCannotBeSetAside_isAsItWas() throws {
    try open().close()
    _ = try StoreBackup(of: state, to: copy)
    for suffix in ["", "-shm"] { try Data("no store".utf8).write(to: URL(fileURLWithPath: store + suffix)) }
    try FileManager.default.createDirectory(atPath: "\(store).replaced-1-shm", withIntermediateDirectories: false)
    #expect(throws: StoreError.self) { try StoreRestoration(from: copy, to: state, force: true) }
    #expect(
      try files() == [
        "flight-0", "flight-lock", "sessions.sqlite", "sessions.sqlite-shm", "sessions.sqlite.replaced-1-shm",
      ])
    #expect(FileManager.default.contents(atPath: store) == Data("no store".utf8))
  }

  /// What was only in its log is in the store that is kept, and no log is left for SQLite to take for the new store's.
  @Test func storeThatIsReplaced_isKeptWhole() throws {
    let first = try open()
    try first.begin()
    _ = try first.create("one")
    _ = try StoreBackup(of: state, to: copy)
    _ = try first.create("two")
    // As a process leaves the files that is killed: a copy of them, as the end of this one's connection would clear up.
    let killed = "\(directory.path)/killed"
    try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: false)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: "\(killed)/\(SQLiteStore.fileName)\(suffix)")
    }
    first.close()
    #expect(try StoreRestoration(from: copy, to: killed).sessionCount == 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: killed).sorted()
    #expect(left == ["flight-0", "flight-lock", "sessions.sqlite", "sessions.sqlite.replaced-1"])
    let replaced = try SQLiteStore(path: "\(killed)/sessions.sqlite.replaced-1", durability: .process)
    defer { replaced.close() }
    #expect(try replaced.load("two") != nil)
  }

  /// One that has not begun yet would go on with the file that was replaced.
  @Test func serverThatHasOpenedTheOldStore_doesNotBegin() throws {
    try open().close()
    _ = try StoreBackup(of: state, to: copy)
    // Nothing of it is open in SQLite's sense but the file: its log is there once it writes.
    let slow = try open()
    let moved = "\(directory.path)/moved"
    try FileManager.default.moveItem(atPath: store, toPath: moved)
    try FileManager.default.copyItem(atPath: copy, toPath: store)
    let error = #expect(throws: StoreError.self) { try slow.begin() }
    #expect(error.map { "\($0)" }?.hasPrefix("\(store) is another file than before.") == true)
    slow.close()
  }

  @Test func storeThatSomebodyHasOpen_isNotReplaced() throws {
    let other = try open()
    _ = try other.create("one")
    _ = try StoreBackup(of: state, to: copy)
    let before = try files()
    for isForced in [false, true] {
      let error = #expect(throws: StoreError.self) { try StoreRestoration(from: copy, to: state, force: isForced) }
      #expect(error?.description.contains("keeps the file locked") == true, "\(error?.description ?? "")")
    }
    #expect(Set(try files()) == Set(before + ["flight-0", "flight-lock"]))
    #expect(try other.create("two").number == 1)
    other.close()
  }

  @Test func copyOfANewerVersion_isRefused() throws {
    try open().close()
    _ = try StoreBackup(of: state, to: copy)
    try execute("INSERT INTO grdb_migrations VALUES ('from the future')", in: copy)
    #expect(
      throws: StoreError("\(copy) was written by a newer version of this program: put it back with that one.")
    ) { try StoreRestoration(from: copy, to: state) }
    #expect(try files() == ["flight-0", "flight-lock", "sessions.sqlite"])
  }

  @Test func copyOfAnOlderVersion_isPutBackAsOneOfThisVersion() throws {
    let queue = try DatabaseQueue(path: copy)
    try SQLiteStore.migrator.migrate(queue, upTo: "1")
    try queue.write {
      try $0.execute(
        sql: """
          INSERT INTO session VALUES (1, 'one', 1, 'app', NULL, 3, 1, 1, 1, '[]', '[]', 1, 1, 5, NULL, NULL, 1);
          INSERT INTO node VALUES (1, 1, 'Node', 1, '0', '{}', '[]');
          """)
    }
    try queue.close()
    #expect(try StoreRestoration(from: copy, to: state) == StoreRestoration(from: copy, to: "\(directory.path)/other"))
    let store = try open()
    defer { store.close() }
    #expect(try store.load()?.state.revision == 3)
  }

  @Test func storeItself_isNoCopy() throws {
    try open().close()
    #expect(throws: StoreError("\(store) is the session store itself: name a copy.")) {
      try StoreRestoration(from: store, to: state)
    }
  }

  /// Root puts back what a server of another user goes on with; also where it is refused, it leaves nothing of its own.
  @Test(.enabled(if: geteuid() == 0, "only root gives files away")) func directoryOfAnotherUser_keepsItsOwner() throws {
    let store = try open()
    try store.begin()
    _ = try StoreBackup(of: state, to: copy)
    func check() throws {
      for name in try files() {
        let owner = try #require(fileOwner("\(state)/\(name)"))
        #expect(owner.user == 12_345 && owner.group == 12_346, "\(name)")
      }
    }
    for path in [state] + (try files().map { "\(state)/\($0)" }) { try #require(chown(path, 12_345, 12_346) == 0) }
    #expect(throws: StoreError.self) { try StoreRestoration(from: copy, to: state) }
    try check()
    store.close()
    _ = try StoreRestoration(from: copy, to: state)
    #expect(try files().count == 4)
    try check()
  }
}
