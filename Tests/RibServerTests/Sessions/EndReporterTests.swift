import Logging
import RibTestSupport
import Testing

@testable import RibServer

@Suite struct EndReporterTests {
  private let gate = Gate()
  private let ends = EndLog()
  private let log = CollectedLog()

  /// A reporter for an app whose closure waits at the gate.
  private func makeReporter(limit: Int = EndReporter.limit) -> EndReporter {
    EndReporter(
      of: "app",
      { [gate, ends] session in
        await gate.pass()
        ends.note(session)
      }, limit: limit, .system, log.logger)
  }

  /// Reports the ends of sessions, by their names.
  private func report(_ names: ClosedRange<Int>, to reporter: EndReporter) -> [Bool] {
    names.map { reporter.report(EndedSession(id: "\($0)", reason: .goodbye)) }
  }

  @Test func sessions_areToldOneAfterTheOther() async {
    let reporter = makeReporter()
    #expect(report(1...3, to: reporter) == [true, false, false])
    #expect(await eventually { gate.waitingCount == 1 })
    // Also those that come while the app is being told.
    #expect(!reporter.report(EndedSession(id: "4", reason: .expired)))
    gate.open()
    await reporter.finish()
    #expect(ends.all.map(\.id) == ["1", "2", "3", "4"])
    #expect(ends.reasons == [.goodbye, .goodbye, .goodbye, .expired])
    // Once more, after a pause.
    #expect(reporter.report(EndedSession(id: "5", reason: .failed)))
    await reporter.finish()
    #expect(ends.all.last == EndedSession(id: "5", reason: .failed))
    #expect(log.all.isEmpty)
  }

  @Test func look_goesOnAsLongAsTheAppIsBeingTold() async {
    let reporter = makeReporter()
    #expect(!reporter.look())
    #expect(!reporter.isTelling)
    #expect(report(1...2, to: reporter) == [true, false])
    #expect(reporter.look())
    #expect(reporter.isTelling)
    gate.open()
    await reporter.finish()
    #expect(!reporter.look())
    #expect(!reporter.isTelling)
  }

  @Test func appThatIsSlow_isInTheLog_onceForASession() async {
    let reporter = makeReporter()
    #expect(report(1...3, to: reporter) == [true, false, false])
    #expect(await eventually { gate.waitingCount == 1 })
    for _ in 1..<EndReporter.slowSeconds { #expect(reporter.look()) }
    #expect(log.all.isEmpty)
    for _ in 0...EndReporter.slowSeconds { #expect(reporter.look()) }
    #expect(log.all.map(\.level) == [.warning])
    let line = log.all.first
    #expect(line?["app"] == "app")
    #expect(line?["session"] == "1")
    #expect(line?["seconds"] == "\(EndReporter.slowSeconds)")
    #expect(line?["waiting"] == "2")
    gate.open()
    await reporter.finish()
    #expect(ends.all.map(\.id) == ["1", "2", "3"])
  }

  @Test func sessionsBeyondTheLimit_areLeftOut_andCounted() async {
    let reporter = makeReporter(limit: 2)
    #expect(report(1...1, to: reporter) == [true])
    #expect(await eventually { gate.waitingCount == 1 })
    #expect(report(2...6, to: reporter) == [false, false, false, false, false])
    #expect(reporter.look())
    #expect(reporter.look())
    #expect(log.all.map(\.level) == [.warning], "each is counted once")
    #expect(log.all.first?["sessions"] == "3")
    #expect(log.all.first?["limit"] == "2")
    // One that comes after the last look.
    #expect(report(7...7, to: reporter) == [false])
    gate.open()
    await reporter.finish()
    #expect(ends.all.map(\.id) == ["1", "2", "3"])
    #expect(log.all.map { $0["sessions"] } == ["3", "1"])
    // There is room again.
    #expect(report(8...8, to: reporter) == [true])
    await reporter.finish()
    #expect(ends.all.map(\.id) == ["1", "2", "3", "8"])
    #expect(log.all.count == 2)
  }

  @Test func appThatIsGivenUp_isToldNoMore_andWhatIsLeftIsCounted() async {
    let reporter = makeReporter(limit: 2)
    #expect(report(1...1, to: reporter) == [true])
    #expect(await eventually { gate.waitingCount == 1 })
    #expect(report(2...4, to: reporter) == [false, false, false])
    reporter.giveUp()
    #expect(log.all.map(\.level) == [.warning, .error])
    #expect(log.all.first?["sessions"] == "1")
    #expect(log.all.last?["app"] == "app")
    #expect(log.all.last?["session"] == "1")
    #expect(log.all.last?["waiting"] == "2")
    await reporter.finish()
    #expect(ends.all.isEmpty)
    #expect(report(5...5, to: reporter) == [false])
    #expect(!reporter.look())
    gate.open()
    // What runs comes to its end.
    #expect(await eventually { ends.all.map(\.id) == ["1"] })
    await reporter.finish()
    #expect(ends.all.map(\.id) == ["1"])
    reporter.giveUp()
    #expect(log.all.count == 2)
  }
}
