import GRDB
import Logging
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibServer

@Suite struct SessionSweeperTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock()

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
  }

  private func names(_ store: SQLiteStore) -> [String] {
    (try? store.database.read { try String.fetchAll($0, sql: "SELECT sid FROM session ORDER BY sid") }) ?? []
  }

  private func rows(_ store: SQLiteStore, _ table: String) -> Int? {
    try? store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
  }

  /// More than are forgotten at a time.
  @Test func oldSessions_areForgotten() async throws {
    let store = try open()
    for number in 0..<100 { _ = try store.create("\(number)") }
    clock.advance(60)
    _ = try store.create("new")
    let run = try SweeperRun(store, timeToLive: 50)
    #expect(await eventually { names(store) == ["new"] })
    await run.stop()
  }

  /// Each once, be it forgotten at once or in parts; an app that is not there any more is told of none.
  @Test func forgottenSessions_areToldToTheirApp() async throws {
    let store = try open()
    let large = (1...1000).map { StoreSample.node($0) }
    for number in 0..<40 { _ = try store.create("\(number)", StoreSample.cut(changed: number == 7 ? large : [])) }
    let other = SessionIdentity(id: "other", app: "gone", parameters: nil)
    _ = try store.perform(.create(other, StoreSample.cut()))
    clock.advance(60)
    _ = try store.create("new")
    let ends = EndLog()
    let run = try SweeperRun(store, apps: [ends.watching(App("app") { Logbook(outside: .init()) })], timeToLive: 50)
    #expect(await eventually { ends.all.count >= 40 && names(store) == ["new"] })
    await run.stop()
    #expect(ends.all.map(\.id).sorted() == (0..<40).map { "\($0)" }.sorted())
    #expect(ends.all.allSatisfy { $0.reason == .expired })
  }

  /// Old sessions go, all but the one whose pages are damaged, and those whose pages SQLite joins with them; and it is said
  /// once of each.
  @Test func damagedSession_doesNotStopExpiry() async throws {
    let store = try open()
    for name in 0..<40 {
      // A page for each.
      let state = String(repeating: name == 20 ? "B" : "G", count: 3900)
      _ = try store.create("\(name)", StoreSample.cut(changed: [StoreSample.node(1, state)]))
    }
    clock.advance(60)
    try directory.damagePages(of: "B")
    let log = CollectedLog()
    let run = try SweeperRun(store, timeToLive: 50, logger: log.logger)
    let said = { log.texts.count { $0.contains("cannot be forgotten") } }
    #expect(await eventually { names(store).count < 8 && said() == names(store).count })
    let left = names(store)
    #expect(left.contains("20"))
    _ = try store.create("later")
    clock.advance(60)
    #expect(await eventually { names(store) == left })
    #expect(said() == left.count)
    await run.stop()
  }

  /// A store that takes longer than the sweeper's pause is asked once, and not again and again.
  @Test(arguments: ["findExpired", "forget", "tidy", "probe"])
  func slowStore_isNotAskedAgain_beforeItHasAnswered(_ request: String) async throws {
    let base = try open()
    for number in 0..<10 { _ = try base.create("\(number)") }
    clock.advance(60)
    let store = SwitchedStore(base)
    store.hold(at: request)
    let run = try SweeperRun(store, timeToLive: 50)
    #expect(await eventually { store.isWaiting })
    let turns = run.turns
    #expect(await eventually { run.turns > turns + 40 })
    let count = store.batches.count
    store.hold(false)
    // What was held, and what came meanwhile.
    #expect(await eventually { store.batches.count >= count + 2 })
    #expect(store.batches[count...].prefix(2).allSatisfy { $0 <= 12 }, "\(store.batches)")
    #expect(await eventually { names(base).isEmpty })
    await run.stop()
  }

  /// A large session goes in parts, and nobody gets a part of it.
  @Test func largeSession_isForgottenInParts() async throws {
    let store = try open()
    let lease = try store.create("large", StoreSample.cut(changed: (1...1000).map { StoreSample.node($0) }))
    try await store.database.write { database in
      for number in 1...300 {
        try database.execute(
          sql: "INSERT INTO change (session, node, seq, ops) VALUES (?, 1, ?, '[]')", arguments: [lease.row, number])
      }
    }
    var progress = StoreSample.cut(changed: [], version: 2)
    progress.isProgress = true
    #expect(try store.write(lease, progress) == "written")
    clock.advance(60)
    let expiry = SessionExpiry(acted: .seconds(50), untouched: .seconds(50), limit: 200)
    guard case .forgotten(nil) = try store.perform(.forget(row: lease.row, expiry)) else {
      Issue.record("it was forgotten at once")
      return
    }
    #expect(rows(store, "change") == 1100 && rows(store, "node") == 800)
    #expect(try store.load("large") == nil)
    guard case .denied = try store.perform(.load(sessionID: "-large", tokenHash: "hash 1")) else {
      Issue.record("it can be opened")
      return
    }
    progress.version = 9
    for cut in [progress, StoreSample.cut(version: 9)] { #expect(try store.write(lease, cut) == "lost") }
    // Its name is told when all of it is gone.
    var gone: ForgottenSession?
    for _ in 0..<10 where gone == nil {
      if case .forgotten(let found) = try store.perform(.forget(row: lease.row, expiry)) { gone = found }
    }
    #expect(gone == ForgottenSession(id: "large", app: "app"))
    for table in ["session", "node", "change"] { #expect(rows(store, table) == 0) }
    // The sweeper does it by itself.
    _ = try store.create("next", StoreSample.cut(changed: (1...1000).map { StoreSample.node($0) }))
    clock.advance(60)
    let run = try SweeperRun(store, timeToLive: 50)
    #expect(await eventually { rows(store, "session") == 0 })
    await run.stop()
  }

  /// Waits until a sweeper has looked at the clock as it is now, and has done what follows.
  private func sweeps(_ store: SwitchedStore) async {
    let count = store.requests.count
    #expect(await eventually { store.requests.count > count + 12 })
  }

  /// After a start, clients have some time to come back.
  @Test func nothingIsForgotten_inTheFirstMinutes() async throws {
    let store = try open()
    _ = try store.create("old")
    _ = try store.create("untouched", StoreSample.cut(StoreSample.state(hasActed: false)))
    clock.advance(60)
    var pace = SessionSweeper.Pace.forTests
    pace.grace = .seconds(600)
    let counted = SwitchedStore(store)
    // What is not acted on lasts so short that it cannot wait.
    let run = try SweeperRun(counted, timeToLive: 50, pace: pace, clock: clock.clock)
    #expect(await eventually { names(store) == ["old"] })
    let count = counted.requests.count
    #expect(await eventually { counted.requests.count > count + 10 })
    #expect(names(store) == ["old"])
    await run.stop()
  }

  /// After the server was held up, or its machine has slept, as well.
  @Test(arguments: [false, true]) func nothingIsForgotten_whileClientsComeBack(afterSleep: Bool) async throws {
    let store = try open()
    _ = try store.create("early")
    var pace = SessionSweeper.Pace.forTests
    pace.grace = .seconds(100)
    let counted = SwitchedStore(store)
    let run = try SweeperRun(counted, timeToLive: 100, pace: pace, clock: clock.clock)
    for _ in 1...3 {
      clock.advance(50)
      await sweeps(counted)
    }
    #expect(await eventually { names(store).isEmpty })
    _ = try store.create("late", StoreSample.cut(StoreSample.state(alone: .seconds(30))))
    if afterSleep { clock.jump(86_400) } else { clock.advance(86_400) }
    await sweeps(counted)
    for seconds in [55, 20] {
      clock.advance(seconds)
      await sweeps(counted)
    }
    #expect(names(store) == ["late"])
    clock.advance(50)
    #expect(await eventually { names(store).isEmpty })
    await run.stop()
  }

  /// Also if the time was found by who tries whether the store works again, and not by who asks each time.
  @Test func nothingIsForgotten_afterTheStoreHasFailedForLong() async throws {
    let store = try open()
    var pace = SessionSweeper.Pace.forTests
    pace.grace = .seconds(100)
    let log = CollectedLog()
    let switched = SwitchedStore(store)
    let run = try SweeperRun(switched, timeToLive: 100, pace: pace, clock: clock.clock, logger: log.logger)
    for _ in 1...3 {
      clock.advance(50)
      await sweeps(switched)
    }
    _ = try store.create("late", StoreSample.cut(StoreSample.state(alone: .seconds(95))))
    switched.fail(true)
    #expect(await eventually { log.texts.contains { $0.hasPrefix("The session store fails.") } })
    clock.advance(3_600)
    switched.fail(false)
    #expect(await eventually { log.texts.contains { $0.hasPrefix("The session store works again.") } })
    for _ in 1...3 {
      clock.advance(30)
      await sweeps(switched)
    }
    #expect(names(store) == ["late"])
    #expect(log.texts.contains { $0.hasPrefix("The server was held up.") })
    clock.advance(50)
    #expect(await eventually { names(store).isEmpty })
    await run.stop()
  }

  @Test func clockThatJumps_isReported() async throws {
    let store = try open()
    _ = try store.create("one")
    let log = CollectedLog()
    let counted = SwitchedStore(store)
    let run = try SweeperRun(counted, timeToLive: 50, logger: log.logger)
    #expect(await eventually { counted.requests.contains("tidy") })
    clock.jump(86_400 * 30)
    #expect(await eventually { !log.texts.isEmpty })
    let count = counted.requests.count
    #expect(await eventually { counted.requests.count > count + 20 })
    #expect(log.texts == ["The system's clock has jumped. No session is forgotten for it. seconds=2592000"])
    #expect(names(store) == ["one"])
    await run.stop()
  }

  /// What sessions have left is given back, but for a part.
  @Test func file_shrinks() async throws {
    let store = try open()
    for number in 0..<40 {
      let state = String(repeating: "x", count: 200_000)
      _ = try store.create("\(number)", StoreSample.cut(changed: [StoreSample.node(1, state)]))
    }
    clock.advance(60)
    let pages = { try? store.database.read { try Int.fetchOne($0, sql: "PRAGMA page_count") } ?? 0 }
    let before = try #require(pages())
    #expect(before > 1900)
    let run = try SweeperRun(store, timeToLive: 50)
    #expect(await eventually { pages() ?? before < 400 })
    await run.stop()
  }
}
