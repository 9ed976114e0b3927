import Logging
import Synchronization
import Testing
import Wire

@testable import RibServer

@Suite struct StoreWriterTests {
  private let store = SwitchedStore(MemoryStore())
  private let loop: EventLoop
  private let writer: StoreWriter
  private let answers = Answers()

  /// What jobs were told, in order, and how often the store came back.
  private final class Answers: Sendable {
    private let texts = Mutex<[String]>([])
    private let recoveries = Atomic<Int>(0)
    var all: [String] { texts.withLock { $0 } }
    var recoveryCount: Int { recoveries.load(ordering: .relaxed) }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    func recovered() { recoveries.add(1, ordering: .relaxed) }
  }

  init() throws {
    loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
    writer = StoreWriter(store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { [answers] in
      answers.recovered()
    }
  }

  private func job(_ request: StoreRequest, _ name: String) -> StoreJob {
    StoreJob(request, on: loop) { [loop, answers] result in
      loop.preconditionOnLoop()
      switch result {
      case .success(let result): answers.add("\(name): \(String("\(result)".prefix { $0 != "(" }))")
      case .failure: answers.add("\(name): failed")
      }
    }
  }

  private func probe(_ name: String) -> StoreJob { job(.probe, name) }

  /// What comes while the store works is done together afterwards, in order, but for what is to be read.
  @Test func jobs_areDoneTogether() async throws {
    store.hold(true)
    writer.submit([probe("a")])
    #expect(await eventually { store.isWaiting })
    for name in ["b", "c"] { writer.submit([probe(name), job(.load(sessionID: "x"), name)]) }
    #expect(answers.all.isEmpty)
    store.hold(false)
    #expect(await eventually { answers.all.count == 5 })
    #expect(answers.all == ["a: noted", "b: noted", "c: noted", "b: missing", "c: missing"])
    #expect(store.requests.count == 5)
    await writer.close()
    loop.stop()
  }

  /// A store that does not answer is not waited for: whoever closes it goes on, and what waits has failed.
  ///
  /// It is closed when it answers after all.
  @Test(arguments: [false, true]) func storeThatIsGivenUp_isNotWaitedFor(isClosing: Bool) async throws {
    store.hold(true)
    writer.submit([probe("a")])
    #expect(await eventually { store.isWaiting })
    #expect(writer.turns.load(ordering: .relaxed) == 1 && !writer.isGivenUp)
    writer.submit([probe("b")])
    if isClosing {
      // Before it is closed or meanwhile.
      async let closed: Void = writer.close()
      writer.giveUp()
      await closed
    } else {
      writer.giveUp()
      await writer.close()
    }
    #expect(writer.isGivenUp && !store.isClosed)
    store.hold(false)
    #expect(await eventually { store.isClosed })
    #expect(await eventually { answers.all == ["a: noted", "b: failed"] })
    #expect(store.requests == ["probe"])
    // The store came back from the question, and was closed.
    #expect(await eventually { writer.turns.load(ordering: .relaxed) == 4 })
    writer.giveUp()
    await writer.close()
    loop.stop()
  }

  /// A batch that was to be taken apart to find the request that cannot be done, by a store that was given up meanwhile.
  @Test func storeThatIsGivenUp_isAskedForNoPartOfABatch() async throws {
    store.refuse(["0"])
    store.hold(true)
    writer.submit(["0", "1"].map { job(Self.create($0), $0) })
    #expect(await eventually { store.isWaiting })
    writer.giveUp()
    store.hold(false)
    #expect(await eventually { answers.all == ["0: failed", "1: failed"] })
    #expect(store.requests.count == 2 && !writer.isFailing)
    await writer.close()
    loop.stop()
  }

  @Test func storeThatFails_isTriedAgainUntilItWorks() async throws {
    store.fail(true)
    writer.submit([probe("a"), probe("b")])
    #expect(await eventually { answers.all == ["a: failed", "b: failed"] })
    #expect(writer.isFailing)
    // What nobody has asked for is tried.
    #expect(await eventually { store.requests.count >= 4 })
    #expect(writer.isFailing && answers.recoveryCount == 0)
    store.fail(false)
    #expect(await eventually { answers.recoveryCount == 1 })
    #expect(!writer.isFailing)
    writer.submit([probe("c")])
    #expect(await eventually { answers.all.count == 3 })
    #expect(answers.all.last == "c: noted" && answers.recoveryCount == 1)
    await writer.close()
    loop.stop()
  }

  /// Who tries whether the store works finds that time was not counted: who asks for that next is told, and once.
  @Test func timeThatIsNotCounted_isToldToWhoAsks_howeverItWasFound() async throws {
    let directory = try TemporaryDirectory()
    let clock = TestClock()
    let store = SwitchedStore(try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock))
    let writer = StoreWriter(store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { [answers] in
      answers.recovered()
    }
    writer.submit([probe("0")])
    #expect(await eventually { answers.all == ["0: noted"] })
    store.fail(true)
    writer.submit([probe("a")])
    #expect(await eventually { writer.isFailing })
    clock.advance(3_600)
    store.fail(false)
    #expect(await eventually { answers.recoveryCount == 1 })
    for name in ["b", "c"] {
      writer.submit([probe(name)])
      #expect(await eventually { answers.all.last?.hasPrefix(name) == true })
    }
    #expect(answers.all == ["0: noted", "a: failed", "b: notCounted", "c: noted"])
    await writer.close()
    loop.stop()
  }

  /// What works while the store fails is no sign that it works: nobody tries again before the pause is over.
  @Test func success_doesNotEndAFailure() async throws {
    store.failProbes(true)
    store.fail(true)
    writer.submit([probe("a")])
    #expect(await eventually { writer.isFailing })
    store.fail(false)
    let load = { job(.load(sessionID: "x"), $0) }
    for name in ["b", "c"] {
      writer.submit([load(name)])
      #expect(await eventually { answers.all.last == "\(name): missing" })
      #expect(writer.isFailing && answers.recoveryCount == 0)
    }
    store.failProbes(false)
    #expect(await eventually { answers.recoveryCount == 1 })
    #expect(!writer.isFailing)
    await writer.close()
    loop.stop()
  }

  // MARK: Requests that cannot be done

  private static func create(_ id: String) -> StoreRequest {
    .create(StoreSample.identity(id), StoreSample.cut())
  }

  /// A batch is taken apart until it is known what the reason is: all others are done, in order.
  @Test(arguments: [["3"], ["0"], ["9"], ["2", "3", "7"], (0..<10).map { "\($0)" }])
  func requestThatCannotBeDone_isRefusedAlone(_ bad: [String]) async throws {
    store.refuse(bad)
    store.hold(true)
    writer.submit([probe("first")])
    #expect(await eventually { store.isWaiting })
    writer.submit((0..<10).map { job(Self.create("\($0)"), "\($0)") })
    store.hold(false)
    #expect(await eventually { answers.all.count == 11 })
    #expect(
      answers.all == ["first: noted"] + (0..<10).map { "\($0): \(bad.contains("\($0)") ? "refused" : "written")" })
    #expect(!writer.isFailing && answers.recoveryCount == 0)
    for number in 0..<10 { #expect((try store.load("\(number)") == nil) == bad.contains("\(number)")) }
    await writer.close()
    loop.stop()
  }

  /// The store fails while a batch is taken apart: what was committed is, and the rest is told so.
  @Test func storeThatFailsMeanwhile_hasDoneAPart() async throws {
    store.refuse(["1"])
    store.fail(after: "0")
    store.hold(true)
    writer.submit([probe("first")])
    #expect(await eventually { store.isWaiting })
    writer.submit((0..<4).map { job(Self.create("\($0)"), "\($0)") })
    store.hold(false)
    #expect(await eventually { answers.all.count == 5 })
    #expect(answers.all == ["first: noted", "0: written", "1: failed", "2: failed", "3: failed"])
    #expect(writer.isFailing)
    store.fail(false)
    #expect(await eventually { answers.recoveryCount == 1 })
    await writer.close()
    loop.stop()
  }

  /// However many ask at once, nobody waits for all of them.
  @Test func batches_areOfSomeSize() async throws {
    store.hold(true)
    writer.submit([probe("first")])
    #expect(await eventually { store.isWaiting })
    writer.submit((0..<2000).map { probe("\($0)") })
    store.hold(false)
    #expect(await eventually { answers.all.count == 2001 })
    #expect(store.batches == [1, 512, 512, 512, 464])
    await writer.close()
    loop.stop()
  }

  /// A session that has ended while the store failed is not there again when it works.
  @Test func removal_isMadeUpFor() async throws {
    let directory = try TemporaryDirectory()
    let file = try SQLiteStore(path: directory.store, durability: .process)
    let lease = try file.create()
    let store = SwitchedStore(file)
    let writer = StoreWriter(store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {}
    store.fail(true)
    writer.submit([job(.remove(sessionID: "one", lease), "a")])
    #expect(await eventually { answers.all == ["a: failed"] })
    store.fail(false)
    #expect(await eventually { store.requests.filter { $0 == "remove" }.count == 2 })
    writer.submit([job(.load(sessionID: "one"), "b")])
    #expect(await eventually { answers.all.last == "b: missing" })
    await writer.close()
    loop.stop()
  }

  /// A store that takes nothing but the question whether it works is not asked as fast as it answers.
  @Test func storeThatOnlySeemsToWork_isAskedMoreAndMoreRarely() async throws {
    store.failWrites(true)
    let start = ContinuousClock.now
    for round in 1...4 {
      writer.submit([probe("a"), probe("b")])
      #expect(await eventually { answers.recoveryCount == round })
    }
    // 50, 100, 200 and 400 ms.
    #expect(ContinuousClock.now - start > .milliseconds(700))
    await writer.close()
    loop.stop()
  }

  /// A session that wakes as the server stops asks late: the store has not failed, and nothing is kept for when it is back.
  @Test func closedStore_isNotAsked() async throws {
    await writer.close()
    writer.submit([probe("a"), job(.noteAbsence(sessionID: "x", SessionLease(row: 1, number: 1)), "b")])
    #expect(await eventually { answers.all == ["a: failed", "b: failed"] })
    #expect(!writer.isFailing)
    #expect(store.requests.isEmpty)
    loop.stop()
  }

  @Test func close_waitsForWhatWasAskedFor() async throws {
    store.hold(true)
    for number in 1...20 { writer.submit([probe("\(number)")]) }
    #expect(await eventually { store.isWaiting })
    let closing = Task { [writer] in await writer.close() }
    store.hold(false)
    await closing.value
    #expect(store.requests.count == 20)
    #expect(await eventually { answers.all.count == 20 })
    loop.stop()
  }
}
