import GRDB
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// What the file does besides what every store does.
@Suite struct SQLiteStoreTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func open(_ durability: Welcome.Durability = .process) throws -> SQLiteStore {
    try SQLiteStore(path: directory.store, durability: durability)
  }

  /// What another program sees in the file.
  func count(_ table: String) throws -> Int {
    try DatabaseQueue(path: directory.store).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  // MARK: Writing

  /// With `disk` a commit waits for the disk: in a write-ahead log that is `FULL`.
  @Test(arguments: [(Welcome.Durability.disk, 2), (.process, 1)])
  func commit_isSyncedAsFarAsItSays(_ durability: Welcome.Durability, _ synchronous: Int) throws {
    for _ in 1...2 {
      let store = try open(durability)
      defer { store.close() }
      try store.database.writeWithoutTransaction { database in
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
        let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        #expect(mode == "wal" && level == synchronous)
      }
    }
  }

  /// That a process was there is known after a power cut as well, also where a commit does not wait for the disk.
  @Test func begin_waitsForTheDisk() throws {
    let store = try open(.process)
    defer { store.close() }
    var statements: [String] = []
    store.database.writeWithoutTransaction { database in
      database.trace { event in if case .statement(let statement) = event { statements.append(statement.sql) } }
    }
    try store.begin()
    let inOrder = ["PRAGMA synchronous = FULL", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous = NORMAL"]
    let places = inOrder.compactMap { start in statements.firstIndex { $0.hasPrefix(start) } }
    #expect(places.count == inOrder.count && places == places.sorted(), "\(statements)")
  }

  @Test func remove_leavesNothing() throws {
    let store = try open()
    defer { store.close() }
    let lease = try store.create("one", StoreSample.cut(nacks: [StoreSample.refusal(1)]))
    _ = try store.create("two")
    try store.begin(after: [FlightEntry(sessionID: "one", client: 1, number: 1)])
    #expect(try count("crash") == 1)
    guard case .removed(1) = try store.perform(.remove(sessionID: "one", lease)) else {
      Issue.record("not removed")
      return
    }
    #expect(try store.write(lease, StoreSample.cut()) == "lost")
    for (table, left) in [("session", 1), ("node", 1), ("nack", 0), ("crash", 0)] {
      let rows = try count(table)
      #expect(rows == left, "\(table)")
    }
  }

  // MARK: Batches

  /// A batch with a request that cannot be done changes nothing, and says that the store is well.
  @Test func sessionThatCannotBeWritten_isTheReason() throws {
    let store = try open()
    defer { store.close() }
    let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, "old")]))
    try DatabaseQueue(path: directory.store).write {
      try $0.execute(
        sql: "CREATE TRIGGER refuse BEFORE INSERT ON nack BEGIN SELECT RAISE(ABORT, 'not this one'); END")
    }
    let error = #expect(throws: StoreError.self) {
      try store.perform([
        .create(StoreSample.identity("two"), StoreSample.cut()),
        .write(lease, StoreSample.cut(changed: [StoreSample.node(1, "new")], nacks: [StoreSample.refusal(1)])),
      ])
    }
    #expect(error?.isGlobal == false && error?.description.contains("not this one") == true)
    #expect(try count("session") == 1)
    #expect(try store.load()?.tree.nodes[1]?.state == "old")
  }

  /// What is not what this program writes is refused at once: nothing has been changed for it.
  @Test func sessionThatCannotBeRead_isRefused() throws {
    let store = try open()
    defer { store.close() }
    _ = try store.create("damaged")
    try DatabaseQueue(path: directory.store).write {
      try $0.execute(sql: "UPDATE session SET clients = '[' WHERE sid = 'damaged'")
    }
    let resume = SessionResume(
      sessionID: "damaged", clientID: 1, tokenHash: "hash 1", attempt: 9, epoch: "", revision: 1,
      program: "")
    let results = try store.perform([
      .load(sessionID: "damaged"), .resume(resume), .create(StoreSample.identity("two"), StoreSample.cut()),
    ])
    guard case .refused = results[0], case .refused = results[1], case .written = results[2] else {
      Issue.record("\(results)")
      return
    }
    #expect(try count("session") == 2)
  }

  /// A batch that the file does not take is as if it had never been.
  @Test func batchThatFails_changesNothing() throws {
    let store = try open()
    defer { store.close() }
    let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, "old")]))
    let other = try DatabaseQueue(path: directory.store)
    // A part of the batch has been done when this comes.
    try other.write { try $0.execute(sql: "ALTER TABLE crash RENAME TO hidden") }
    let batch: [StoreRequest] = [
      .create(StoreSample.identity("two"), StoreSample.cut()),
      .write(lease, StoreSample.cut(changed: [StoreSample.node(1, "new")])), .load(sessionID: "one"),
    ]
    let error = #expect(throws: StoreError.self) { try store.perform(batch) }
    #expect(error?.isGlobal == true)
    #expect(try count("session") == 1)
    try other.write { try $0.execute(sql: "ALTER TABLE hidden RENAME TO crash") }
    #expect(try store.load()?.tree.nodes[1]?.state == "old")
    // The load that failed has not raised the lease: there were one creation and one load.
    #expect(try store.load()?.lease.number == 3)
    _ = try store.create("two")
    #expect(try count("session") == 2)
  }

  /// A full file: the commit fails as a whole, and the store works again when there is room.
  @Test func fullFile_isAnError_andRoomEndsIt() throws {
    let store = try open()
    defer { store.close() }
    let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, "old")]))
    store.limitPages(to: 1)
    let large = StoreSample.cut(changed: [StoreSample.node(1, String(repeating: "x", count: 100_000))])
    let error = #expect(throws: StoreError.self) { try store.write(lease, large) }
    #expect(
      error?.description.contains("The disk is full: make room.") == true && error?.isGlobal == true,
      "\(error?.description ?? "")")
    #expect(try store.load()?.tree.nodes[1]?.state == "old")
    store.limitPages(to: 1 << 30)
    let again = try #require(try store.load()?.lease)
    #expect(try store.write(again, large) == "written")
  }

  // MARK: Crashes

  @Test func crashes_areCountedUntilTheyHaveGoneWell() throws {
    let store = try open()
    defer { store.close() }
    _ = try store.create()
    let entries = [
      FlightEntry(sessionID: "one", client: 1, number: 4), FlightEntry(sessionID: "one", client: 0, number: 0),
      FlightEntry(sessionID: "gone", client: 1, number: 1),
    ]
    try store.begin(after: entries)
    try store.begin(after: [entries[0]])
    let loaded = try #require(try store.load())
    let action = StoredSession.Crash(client: 1, number: 4, count: 2)
    let wake = StoredSession.Crash(client: 0, number: 0, count: 1)
    #expect(Set(loaded.crashes.map(\.count)) == [1, 2] && loaded.crashes.contains(action))
    #expect(loaded.crashes.contains(wake))
    _ = try store.write(loaded.lease, StoreSample.cut(survived: [wake]))
    #expect(try store.load()?.crashes == [action])
    #expect(try count("crash") == 1)
  }

  // MARK: The start

  /// After a power cut the next process has to know that this one was there, whatever a commit survives.
  @Test func start_isSynced() throws {
    let store = try open(.process)
    defer { store.close() }
    var statements: [String] = []
    store.database.writeWithoutTransaction { database in database.trace { statements.append("\($0)") } }
    try store.begin()
    store.database.writeWithoutTransaction { $0.trace(nil) }
    let levels = { (statements: [String]) in statements.filter { $0.hasPrefix("PRAGMA synchronous") } }
    let start = try #require(statements.firstIndex { $0.hasPrefix("BEGIN") })
    let end = try #require(statements.firstIndex { $0.hasPrefix("COMMIT") })
    #expect(levels(Array(statements[..<start])) == ["PRAGMA synchronous = FULL"])
    #expect(levels(Array(statements[end...])) == ["PRAGMA synchronous = NORMAL"])
  }

  /// Sessions of a process that runs are its own; those of one that has died are anyone's.
  @Test func start_leavesAloneWhatOthersHave() throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    try first.begin(as: 0)
    _ = try first.create("first's", StoreSample.cut(StoreSample.state(isHeld: true)))
    try second.begin(as: 1, besides: [0])
    _ = try second.create("second's", StoreSample.cut(StoreSample.state(isHeld: true)))
    let holders = {
      try first.database.read { try Int.fetchAll($0, sql: "SELECT holder FROM session ORDER BY id") }
    }
    #expect(try holders() == [1, 2])
    // The second one has died, and another has its number.
    try second.begin(as: 1, besides: [0])
    #expect(try holders() == [1, 0])
    try second.begin(as: 0, besides: [])
    #expect(try holders() == [0, 0])
  }

  /// Clients wait for it in another process, which may have more of it by now.
  @Test func sessionThatAnotherProcessHolds_hasToBeLoaded() throws {
    let (first, second) = (try open(), try open())
    defer { for store in [first, second] { store.close() } }
    try first.begin(as: 0, besides: [])
    try second.begin(as: 1, besides: [0])
    let rest = SessionState.Rest(epoch: "e", viewHash: "h", program: "p")
    _ = try first.create("one", StoreSample.cut(StoreSample.state(isHeld: true, rest: rest)))
    let resume = SessionResume(
      sessionID: "one", clientID: 1, tokenHash: "hash 1", attempt: 4, epoch: "e", revision: 1, program: "p")
    guard case .mustLoad = try second.perform(.resume(resume)),
      case .resting(let session) = try first.perform(.resume(resume))
    else {
      Issue.record("it was taken")
      return
    }
    // Nobody waits there any more: the other one may have it.
    _ = try first.perform(.noteAbsence(sessionID: "one", session.lease))
    let again = SessionResume(
      sessionID: "one", clientID: 1, tokenHash: "hash 1", attempt: 5, epoch: "e", revision: 1, program: "p")
    guard case .resting = try second.perform(.resume(again)) else {
      Issue.record("it has to be loaded")
      return
    }
  }

  /// What a process has shown that has died may be lost: sessions that wake then have another epoch.
  @Test func rest_isOfOneLife() throws {
    let rest = SessionState.Rest(epoch: "e", viewHash: "h")
    let rested = StoreSample.cut(StoreSample.state(rest: rest))
    do {
      let store = try open()
      try store.begin()
      _ = try store.create("one", rested)
      store.close()
    }
    do {
      // The first one has ended in order; this one does not.
      let store = try open()
      try store.begin()
      #expect(try store.load()?.state.rest == rest)
      _ = try store.create("two", rested)
    }
    let store = try open()
    defer { store.close() }
    try store.begin()
    #expect(try store.load("two")?.state.rest == nil)
    _ = try store.create("three", rested)
    #expect(try store.load("three")?.state.rest == rest)
  }

  /// A process that could not write all has not ended in order.
  @Test func rest_isForgotten_afterAFailure() throws {
    do {
      let store = try open()
      try store.begin()
      let rest = SessionState.Rest(epoch: "e", viewHash: "h")
      _ = try store.create("one", StoreSample.cut(StoreSample.state(rest: rest)))
      store.limitPages(to: 1)
      let large = StoreSample.cut(changed: [StoreSample.node(1, String(repeating: "x", count: 100_000))])
      #expect(throws: StoreError.self) { try store.create("two", large) }
      store.close()
    }
    let store = try open()
    defer { store.close() }
    try store.begin()
    #expect(try store.load()?.state.rest == nil)
  }

  /// What is looked for every few seconds is found without reading all, and without looking at the sessions themselves.
  @Test func oldSessions_areFoundByAnIndex() throws {
    let store = try open()
    defer { store.close() }
    let plan = try plan(of: SQLiteStore.SQL.findExpired, [1, 1, 500], store)
    #expect(plan.filter { $0.contains("USING COVERING INDEX sessionSeen") }.count == 2, "\(plan)")
    #expect(!plan.contains { $0.hasPrefix("SCAN session") }, "\(plan)")
  }

  /// However many changes a session has: a commit finds its progress by the whole key, and a load has them in their order.
  @Test func progressAndChanges_areFoundByTheirKey() throws {
    let store = try open()
    defer { store.close() }
    let statements = [
      (SQLiteStore.SQL.updateProgress, 8), (SQLiteStore.SQL.insertProgress, 8), (SQLiteStore.SQL.updateSession, 15),
      (SQLiteStore.SQL.selectSession, 1),
    ]
    for (sql, count) in statements {
      let plan = try plan(of: sql, StatementArguments(Array(repeating: 1, count: count)), store)
      let searches = plan.filter { $0.contains(" change ") || $0.contains(" progress ") }
      #expect(searches.count == 1 && searches[0].contains("(session=? AND node=? AND seq=?)"), "\(plan)")
    }
    let select = try plan(of: SQLiteStore.SQL.selectChanges, [1], store)
    #expect(select == ["SEARCH change USING PRIMARY KEY (session=?)"])
  }

  /// A start does not read all sessions that were ever stored.
  @Test func sessionsOfTheDead_areFoundByAnIndex() throws {
    let store = try open()
    defer { store.close() }
    let plan = try plan(of: SQLiteStore.releaseSQL(except: "0, 2"), [1], store)
    #expect(plan.contains { $0.contains("INDEX sessionHolder") }, "\(plan)")
  }

  private func plan(of sql: String, _ arguments: StatementArguments, _ store: SQLiteStore) throws -> [String] {
    try store.database.read { database in
      try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { $0["detail"] ?? "" }
    }
  }

  /// A session comes back with what clients had seen before the copy was made: nobody may take that for what they see now.
  @Test func rest_isForgotten_whenACopyIsPutBack() throws {
    let rest = SessionState.Rest(epoch: "e", viewHash: "h")
    do {
      let store = try open()
      try store.begin()
      _ = try store.create("one", StoreSample.cut(StoreSample.state(rest: rest)))
      store.close()
    }
    let store = try open()
    defer { store.close() }
    var start = StoreStart()
    start.isRestored = true
    #expect(try store.begin(start) == 1)
    #expect(try store.load()?.state.rest == nil)
  }
}
