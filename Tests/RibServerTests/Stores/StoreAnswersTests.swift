import Logging
import Synchronization
import Testing

@testable import RibServer

@Suite struct StoreAnswersTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000) }

  @Test func answers_areToldInOrder_andNotKept() {
    var answers = StoreAnswers()
    var jobs = (0..<5).map { _ in StoreJob(.probe, on: loop) }
    answers.append(Array(jobs[..<2]))
    #expect(answers.next() === jobs[0])
    answers.append(Array(jobs[2...]))
    for job in jobs[1...] {
      #expect(!answers.isEmpty)
      #expect(answers.next() === job)
    }
    #expect(answers.isEmpty && answers.next() == nil)
    weak let last = jobs.popLast()
    #expect(last == nil)
    loop.stop()
  }

  /// Many sessions that are restored at once leave the loop to others in between, and are all told.
  @Test func others_haveTheirTurn() async throws {
    let writer = StoreWriter(MemoryStore(), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {}
    let told = Told()
    writer.submit(
      (0..<20).map { number in
        StoreJob(.probe, on: loop) { [loop] _ in
          if number == 0 { loop.execute { told.add("other") } }
          let end = loop.time() + StoreAnswers.turn / 2
          while loop.time() < end {}
          told.add("\(number)")
        }
      })
    #expect(await eventually { told.texts.count == 21 })
    #expect(told.texts.filter { $0 != "other" } == (0..<20).map(String.init))
    // Not behind all of them.
    #expect(try #require(told.texts.firstIndex(of: "other")) <= 4)
    await writer.close()
    loop.stop()
  }

  /// That the store is back is told behind all that it has refused: otherwise a session would not hear of it.
  @Test func recovery_overtakesNoAnswer() async throws {
    let told = Told()
    loop.answer(
      (0..<20).map { number in
        StoreJob(.probe, on: loop) { [loop] _ in
          let end = loop.time() + StoreAnswers.turn / 2
          while loop.time() < end {}
          told.add("\(number)")
        }
      })
    loop.afterAnswers { told.add("back") }
    #expect(await eventually { told.texts.count == 21 })
    #expect(told.texts == (0..<20).map(String.init) + ["back"])
    loop.stop()
  }

  private final class Told: Sendable {
    private let all = Mutex<[String]>([])
    var texts: [String] { all.withLock { $0 } }
    func add(_ text: String) { all.withLock { $0.append(text) } }
  }
}
