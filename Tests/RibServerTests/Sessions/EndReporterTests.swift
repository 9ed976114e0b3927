import Logging
import Testing

@testable import RibServer

@Suite struct EndReporterTests {
  private let gate = Gate()
  private let ends = EndLog()
  private let queue = TurnedQueue()

  /// A reporter for one app, whose closure waits at the gate.
  private func makeReporter() -> EndReporter {
    let app = App("app") { Logbook(outside: .init()) }.onEnd { [gate, ends] session in
      await gate.pass()
      ends.note(session)
    }
    let silent = App("silent") { Logbook(outside: .init()) }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return EndReporter(["app": app, "silent": silent], .turned(by: queue), logger)
  }

  @Test func sessions_areToldOneAfterTheOther() async {
    let reporter = makeReporter()
    for number in 1...3 { reporter.report("\(number)", ofApp: "app", .goodbye) }
    #expect(await eventually { gate.waitingCount == 1 })
    // Also those that come while the app is being told.
    reporter.report("4", ofApp: "app", .expired)
    gate.open()
    await reporter.finish(within: 60)
    #expect(ends.all.map(\.id) == ["1", "2", "3", "4"])
    #expect(ends.reasons == [.goodbye, .goodbye, .goodbye, .expired])
    // Once more, after a pause.
    reporter.report("5", ofApp: "app", .failed)
    await reporter.finish(within: 60)
    #expect(ends.all.last == EndedSession(id: "5", reason: .failed))
  }

  @Test func appsThatDoNotWantToKnow_areNotTold() async {
    let reporter = makeReporter()
    reporter.report("1", ofApp: "silent", .goodbye)
    reporter.report("2", ofApp: "unknown", .goodbye)
    await reporter.finish(within: 60)
    #expect(ends.all.isEmpty)
    #expect(reporter.isWanted)
    #expect(!EndReporter([:], .system, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }).isWanted)
  }

  @Test func appThatTakesTooLong_isNotWaitedFor_andToldNoMore() async {
    let reporter = makeReporter()
    for number in 1...3 { reporter.report("\(number)", ofApp: "app", .goodbye) }
    #expect(await eventually { gate.waitingCount == 1 })
    async let finished: Void = reporter.finish(within: 5)
    #expect(await eventually { queue.count == 1 })
    queue.advance(4)
    #expect(queue.count == 1)
    // The waiter may have come after the ticker: time goes on until both are there.
    #expect(
      await eventually {
        queue.advance(1)
        return queue.count == 0
      })
    await finished
    #expect(ends.all.isEmpty)
    gate.open()
    reporter.report("4", ofApp: "app", .goodbye)
    // What runs comes to its end.
    #expect(await eventually { ends.all.map(\.id) == ["1"] })
    await reporter.finish(within: 60)
    #expect(ends.all.map(\.id) == ["1"])
  }
}
