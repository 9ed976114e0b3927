import Foundation
import GRDB
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// What the time of a file is.
@Suite struct SQLiteStoreTimeTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock()

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ clock: TestClock? = nil) throws -> SQLiteStore {
    try SQLiteStore(path: directory.store, durability: .process, clock: (clock ?? self.clock).clock)
  }

  /// Reads without holding.
  private func alone(_ id: String, _ store: SQLiteStore) throws -> Duration? {
    let resume = SessionResume(
      sessionID: id, clientID: 77, tokenHash: "", attempt: 0, epoch: "", revision: 0,
      program: "")
    guard case .denied(let state) = try store.perform(.resume(resume)) else { return nil }
    return state.isHeld ? nil : state.alone
  }

  /// A client that was connected when its server died has not stayed away, and for the others the time stood still.
  @Test(arguments: [false, true]) func downtime_isNotAbsence(endsInOrder: Bool) throws {
    do {
      let store = try open()
      try store.begin()
      _ = try store.create("here", StoreSample.cut(StoreSample.state(isHeld: true, alone: .seconds(5))))
      _ = try store.create("away", StoreSample.cut(StoreSample.state(alone: .seconds(6))))
      clock.advance(30)
      _ = try store.perform(.probe)
      clock.advance(9)
      if endsInOrder { store.close() }
    }
    clock.advance(86_400 * 3)
    let store = try open()
    defer { store.close() }
    try store.begin()
    #expect(try alone("here", store) == .zero)
    // What is not noted any more by one that dies is the time since the last note.
    #expect(try alone("away", store) == .seconds(endsInOrder ? 45 : 36))
    clock.advance(10)
    #expect(try alone("away", store) == .seconds(endsInOrder ? 55 : 46))
    #expect(try store.forgetOld(acted: 100, untouched: 100).isEmpty)
  }

  /// A short restart is not worth a correction.
  @Test func shortDowntime_counts() throws {
    do {
      let store = try open()
      try store.begin()
      _ = try store.create()
      store.close()
    }
    clock.advance(50)
    let store = try open()
    defer { store.close() }
    try store.begin()
    #expect(try alone("one", store) == .seconds(50))
  }

  /// The machine has started without knowing the time, and learns it.
  @Test(arguments: [-86_400 * 1000, 86_400 * 1000]) func clockThatWasWrongAtTheStart_deletesNothing(_ jump: Int) throws
  {
    do {
      let store = try open()
      try store.begin()
      _ = try store.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
      store.close()
    }
    clock.jump(jump)
    let store = try open()
    defer { store.close() }
    try store.begin()
    _ = try store.create("two")
    clock.advance(10)
    _ = try store.perform(.probe)
    clock.jump(-jump)
    for _ in 1...3 {
      clock.advance(10)
      _ = try store.perform(.probe)
    }
    #expect(try alone("one", store) == .seconds(60))
    #expect(try alone("two", store) == .seconds(40))
  }

  /// A copy that is put back is as old as it was.
  @Test func copyThatIsPutBack_losesNothing() throws {
    do {
      let store = try open()
      try store.begin()
      _ = try store.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
      store.close()
    }
    let copy = directory.store + ".copy"
    try FileManager.default.copyItem(atPath: directory.store, toPath: copy)
    do {
      let store = try open()
      try store.begin()
      clock.advance(86_400)
      _ = try store.perform(.probe)
      store.close()
    }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: directory.store + suffix) }
    try FileManager.default.moveItem(atPath: copy, toPath: directory.store)
    let store = try open()
    defer { store.close() }
    var start = StoreStart()
    start.isRestored = true
    _ = try store.begin(start)
    #expect(try alone("one", store) == .seconds(20))
  }

  /// Two processes of one machine see the same jump, and count it once.
  @Test func jump_isCountedOnce() throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    try first.begin()
    try second.begin(as: 1, besides: [0])
    _ = try first.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.jump(86_400)
    // Each is told of it, whoever has counted it.
    for store in [first, second] {
      guard case .notCounted(.jump(86_400)) = try store.perform(.probe) else {
        Issue.record("it was not seen")
        return
      }
    }
    guard case .noted = try first.perform(.probe), case .noted = try second.perform(.probe) else {
      Issue.record("it was counted twice")
      return
    }
    clock.advance(10)
    for store in [first, second] { #expect(try alone("one", store) == .seconds(30)) }
    _ = try second.create("two", StoreSample.cut(StoreSample.state(alone: .seconds(5))))
    #expect(try alone("two", first) == .seconds(5))
  }

  /// A process that was held up goes by the file's time, which another one has begun meanwhile.
  ///
  /// For the other one the file was without a process, so that its time had stood still.
  @Test func processThatWasHeldUp_goesByTheTimeOfTheOthers() throws {
    let first = try open()
    defer { first.close() }
    try first.begin()
    _ = try first.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.advance(107)
    let second = try open()
    defer { second.close() }
    try second.begin(as: 1, besides: [0])
    #expect(try alone("one", second) == .seconds(20))
    // Also before the first one has looked.
    #expect(try first.forgetOld(acted: 100, untouched: 100).isEmpty)
    clock.advance(5)
    guard case .notCounted(.pause(107)) = try first.perform(.probe) else {
      Issue.record("it does not know that it was held up")
      return
    }
    for _ in 1...2 {
      for store in [first, second] {
        guard case .noted = try store.perform(.probe) else {
          Issue.record("one time is not the other's")
          return
        }
        #expect(try alone("one", store) == .seconds(25))
      }
    }
    clock.advance(10)
    #expect(try alone("one", first) == .seconds(35))
    #expect(try first.forgetOld(acted: 100, untouched: 100).isEmpty)
  }

  /// A process that ends in order has not looked at the time since the system's clock was set back; another one still runs.
  @Test func endAfterAJump_leavesTheTimeOfTheOthers() throws {
    let (first, second) = (try open(), try open())
    defer { second.close() }
    try first.begin()
    try second.begin(as: 1, besides: [0])
    _ = try second.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.jump(-86_400)
    first.close()
    let third = try open()
    defer { third.close() }
    try third.begin(besides: [1])
    #expect(try alone("one", third) == .seconds(20))
    clock.advance(10)
    guard case .notCounted(.jump(-86_400)) = try second.perform(.probe), case .noted = try third.perform(.probe),
      case .noted = try second.perform(.probe)
    else {
      Issue.record("one time is not the other's")
      return
    }
    for store in [second, third] { #expect(try alone("one", store) == .seconds(30)) }
  }

  /// The machine has slept, and the clock is set before the other process has heard of it: that one is told of the sleep as well.
  @Test func sleep_isToldToAll_alsoIfTheClockIsSetBehindIt() throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    try first.begin()
    try second.begin(as: 1, besides: [0])
    clock.jump(86_400)
    _ = try first.perform(.probe)
    clock.jump(-7_200)
    guard case .notCounted(.jump(79_200)) = try second.perform(.probe) else {
      Issue.record("the second process knows of the clock alone")
      return
    }
  }

  /// The system's clock is set back twice before the other process has heard of the first time.
  @Test func secondJump_beforeTheFirstWasHeardOf_isCounted() throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    try first.begin()
    try second.begin(as: 1, besides: [0])
    _ = try first.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.jump(-69)
    guard case .notCounted(.jump(-69)) = try first.perform(.probe) else {
      Issue.record("the first jump was not seen")
      return
    }
    clock.jump(-7_200)
    clock.advance(10)
    // Each is told of what it has not been told of yet.
    guard case .notCounted(.jump(-7_269)) = try second.perform(.probe),
      case .notCounted(.jump(-7_200)) = try first.perform(.probe)
    else {
      Issue.record("the second jump was not seen")
      return
    }
    for store in [first, second] { #expect(try alone("one", store) == .seconds(30)) }
  }

  /// Who stops a machine, or all processes of a store, for a day forgets nobody by it.
  @Test(arguments: [false, true]) func processesThatWereAllHeldUp_goOnFromBefore(isSetMeanwhile: Bool) throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    try first.begin()
    try second.begin(as: 1, besides: [0])
    _ = try first.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    _ = try second.perform(.probe)
    clock.advance(86_400)
    if isSetMeanwhile { clock.jump(7_200) }
    // The first to go on may look for old sessions before it has looked at the time.
    #expect(try first.forgetOld(acted: 100, untouched: 100).isEmpty)
    guard case .notCounted(.pause(86_400)) = try first.perform(.probe),
      case .notCounted(.pause(86_400)) = try second.perform(.probe), case .noted = try first.perform(.probe)
    else {
      Issue.record("it was not seen, or twice")
      return
    }
    for store in [first, second] { #expect(try alone("one", store) == .seconds(20)) }
    clock.advance(10)
    for store in [first, second] { #expect(try alone("one", store) == .seconds(30)) }
    #expect(try first.forgetOld(acted: 29, untouched: 29) == ["one"])
  }

  /// What is not committed has compared nothing: the next comparison finds the same jump.
  @Test func probeThatIsRolledBack_leavesTheTime() throws {
    let store = try open()
    defer { store.close() }
    try store.begin()
    _ = try store.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.jump(-86_400)
    _ = try store.perform([.probe], endingWith: .rollback)
    guard case .notCounted(.jump(-86_400)) = try store.perform(.probe) else {
      Issue.record("the jump is not seen any more")
      return
    }
    #expect(try alone("one", store) == .seconds(20))
  }

  /// The clock is set twice before the other process has looked: none takes over a time that is later than its own.
  @Test(arguments: [86_400, -86_400]) func secondJump_deletesNothing(_ second: Int) throws {
    let stores = [try open(), try open()]
    defer { for store in stores { store.close() } }
    try stores[0].begin()
    try stores[1].begin(as: 1, besides: [0])
    _ = try stores[0].create("one", StoreSample.cut(StoreSample.state(alone: .seconds(20))))
    clock.jump(1000)
    _ = try stores[0].perform(.probe)
    clock.jump(second)
    for store in stores.reversed() {
      _ = try store.perform(.probe)
      #expect(try alone("one", store) ?? .zero <= .seconds(20))
    }
    // Both have come to one time, and say no more.
    _ = try stores[1].perform(.probe)
    for store in stores {
      guard case .noted = try store.perform(.probe) else {
        Issue.record("one time is not the other's")
        return
      }
    }
    #expect(try alone("one", stores[0]) == alone("one", stores[1]))
  }

  // MARK: Files of earlier versions

  /// A file of the first version is taken over as it is, its time goes on, and it can shrink from then on.
  @Test func fileOfTheFirstVersion_isTakenOver() throws {
    let old = try DatabaseQueue(path: directory.store)
    try SQLiteStore.migrator.migrate(old, upTo: "1")
    let seen = 1_799_000_000
    try old.write { database in
      try database.execute(
        sql: """
          INSERT INTO session (sid, lease, app, rev, root, lastNode, transactions, clients, invitations, acted, holder, seen,
            life) VALUES ('one', 3, 'app', 7, 1, 1, 1, '[]', '[]', 1, 0, ?, 1);
          INSERT INTO node VALUES (1, 1, 'Node', 1, '0', NULL, NULL);
          """, arguments: [seen - 20])
      try database.execute(sql: "INSERT INTO server VALUES (1, ?)", arguments: [seen])
    }
    try old.close()
    let store = try open()
    defer { store.close() }
    try store.begin()
    #expect(try alone("one", store) == .seconds(20))
    let loaded = try #require(try store.load())
    #expect(loaded.lease.number == 4 && loaded.tree.nodes.count == 1)
    #expect(try store.write(loaded.lease, StoreSample.cut()) == "written")
    #expect(try store.database.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
  }
}
