import Logging
import RibTestSupport
import Testing

@testable import RibServer

@Suite struct EndReportersTests {
  private let gate = Gate()
  private let slow = EndLog()
  private let quick = EndLog()
  private let log = CollectedLog()
  private let queue = TurnedQueue()

  /// Reporters for three apps: the closure of one waits at the gate, that of another takes no time, and one has none.
  private func makeReporters(limit: Int = EndReporter.limit) -> EndReporters {
    let apps = [
      App("slow") { Logbook(outside: .init()) }.onEnd { [gate, slow] session in
        await gate.pass()
        slow.note(session)
      },
      quick.watching(App("quick") { Logbook(outside: .init()) }),
      App("silent") { Logbook(outside: .init()) },
    ]
    return EndReporters(apps, limit: limit, .turned(by: queue), log.logger)
  }

  @Test func appThatHangs_keepsNoOtherOneWaiting() async {
    let reporters = makeReporters()
    for number in 1...2 { reporters.report("\(number)", ofApp: "slow", .goodbye) }
    #expect(await eventually { gate.waitingCount == 1 })
    for number in 3...5 { reporters.report("\(number)", ofApp: "quick", .expired) }
    #expect(await eventually { quick.all.map(\.id) == ["3", "4", "5"] })
    #expect(quick.reasons == [.expired, .expired, .expired])
    #expect(slow.all.isEmpty)
    gate.open()
    await reporters.finish(within: 60)
    #expect(slow.all.map(\.id) == ["1", "2"])
  }

  @Test func limit_isEachAppsOwn() async {
    let reporters = makeReporters(limit: 1)
    reporters.report("1", ofApp: "slow", .goodbye)
    #expect(await eventually { gate.waitingCount == 1 })
    for number in 2...4 { reporters.report("\(number)", ofApp: "slow", .goodbye) }
    reporters.report("5", ofApp: "quick", .goodbye)
    #expect(await eventually { quick.all.map(\.id) == ["5"] })
    queue.advance(1)
    #expect(log.all.map { $0["app"] } == ["slow"])
    #expect(log.all.map { $0["sessions"] } == ["2"])
    gate.open()
    await reporters.finish(within: 60)
    #expect(slow.all.map(\.id) == ["1", "2"])
  }

  @Test func apps_areLookedAtOnceASecond_asLongAsOneIsBeingTold() async {
    let reporters = makeReporters()
    #expect(queue.count == 0)
    reporters.report("1", ofApp: "slow", .goodbye)
    #expect(await eventually { gate.waitingCount == 1 })
    reporters.report("2", ofApp: "quick", .goodbye)
    #expect(await eventually { quick.all.count == 1 })
    #expect(queue.count == 1, "one look for all")
    queue.advance(EndReporter.slowSeconds - 1)
    #expect(log.all.isEmpty)
    queue.advance(1)
    #expect(log.all.map { $0["session"] } == ["1"])
    gate.open()
    await reporters.finish(within: 60)
    queue.advance(1)
    #expect(queue.count == 0, "nothing is kept")
    // And again, after a pause.
    reporters.report("3", ofApp: "quick", .goodbye)
    #expect(queue.count == 1)
    await reporters.finish(within: 60)
    #expect(quick.all.map(\.id) == ["2", "3"])
  }

  @Test func appsThatDoNotWantToKnow_areNotTold() async {
    let reporters = makeReporters()
    reporters.report("1", ofApp: "silent", .goodbye)
    reporters.report("2", ofApp: "unknown", .goodbye)
    await reporters.finish(within: 60)
    #expect(slow.all.isEmpty && quick.all.isEmpty)
    #expect(reporters.isWanted)
    #expect(!EndReporters([], .system, log.logger).isWanted)
    let silent = App("silent") { Logbook(outside: .init()) }
    #expect(!EndReporters([silent], .system, log.logger).isWanted)
  }

  @Test func appThatTakesTooLong_isNotWaitedFor_andToldNoMore() async {
    let reporters = makeReporters()
    for number in 1...3 { reporters.report("\(number)", ofApp: "slow", .goodbye) }
    reporters.report("4", ofApp: "quick", .goodbye)
    #expect(await eventually { gate.waitingCount == 1 && quick.all.count == 1 })
    async let finished: Void = reporters.finish(within: 5)
    // The look, and the end of the wait.
    #expect(await eventually { queue.count == 2 })
    queue.advance(4)
    #expect(log.all.isEmpty)
    queue.advance(1)
    await finished
    #expect(log.all.map(\.level) == [.error])
    #expect(log.all.map { $0["app"] } == ["slow"])
    #expect(log.all.first?["waiting"] == "2")
    #expect(slow.all.isEmpty)
    gate.open()
    reporters.report("5", ofApp: "slow", .goodbye)
    // What runs comes to its end.
    #expect(await eventually { slow.all.map(\.id) == ["1"] })
    await reporters.finish(within: 60)
    #expect(slow.all.map(\.id) == ["1"])
    queue.advance(1)
    #expect(queue.count == 0, "nothing is kept")
  }
}
