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

  private func probe(_ name: String) -> StoreJob { job(.probe(now: 1), name) }

  /// What comes while the store works is done together afterwards, in order.
  @Test func jobs_areDoneTogether() async throws {
    store.hold(true)
    writer.submit([probe("a")])
    #expect(await eventually { store.isWaiting })
    for name in ["b", "c"] { writer.submit([probe(name), job(.load(sessionID: "x"), name)]) }
    #expect(answers.all.isEmpty)
    store.hold(false)
    #expect(await eventually { answers.all.count == 5 })
    #expect(answers.all == ["a: noted", "b: noted", "b: missing", "c: noted", "c: missing"])
    #expect(store.requests.count == 5)
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

  /// Whoever writes meanwhile and succeeds ends the failure as well.
  @Test func success_endsAFailure() async throws {
    store.fail(true)
    writer.submit([probe("a")])
    #expect(await eventually { writer.isFailing })
    store.fail(false)
    writer.submit([probe("b")])
    #expect(await eventually { answers.all.count == 2 })
    #expect(answers.all.last == "b: noted" && !writer.isFailing && answers.recoveryCount == 1)
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
