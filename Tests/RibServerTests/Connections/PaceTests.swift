import Testing

@testable import RibServer

@Suite struct PaceTests {
  @Test func clientThatSendsOnlyActions_isHeldToTheirNumberAlone() {
    let limits = ServerSettings.Limits()
    var pace = Pace(limits)
    var now: UInt64 = 1
    for _ in 0..<1000 {
      // The longest there are, at their rate.
      let waits = [pace.noteMessage(of: limits.messageBytes, at: now), pace.noteAction(at: now)]
      #expect(waits == [0, 0])
      now += 20_000_000
    }
  }

  @Test func otherMessages_comeTenTimesAsOften_andLongOnesCountMore() {
    let limits = ServerSettings.Limits()
    var short = Pace(limits)
    var long = Pace(limits)
    let waits = (0..<1001).map { _ in short.noteMessage(of: 10, at: 5) }
    #expect(waits.prefix(999).allSatisfy { $0 == 0 })
    #expect(Array(waits.suffix(2)) == [2_000_000, 4_000_000])
    // A message of the longest counts nine times.
    #expect((0..<112).map { _ in long.noteMessage(of: limits.messageBytes, at: 5) }.filter { $0 > 0 }.count == 1)
  }

  @Test func limitOfZero_isNone() {
    var limits = ServerSettings.Limits()
    limits.actionsPerSecond = 0
    limits.messageBytes = 0
    var pace = Pace(limits)
    let waits = (0..<5000).map { _ in pace.noteMessage(of: 1 << 30, at: 5) + pace.noteAction(at: 5) }
    #expect(waits.allSatisfy { $0 == 0 })
  }

  @Test func pause_becomesLongerAndNotShorter_andIsWorthIt() {
    var pace = Pace(ServerSettings.Limits())
    let begins = [
      pace.pause(for: 1, at: 50), pace.pause(for: 500_000_000, at: 60), pace.pause(for: 200_000_000, at: 70),
    ]
    #expect(begins == [true, false, false])
    #expect(pace.isPaused && pace.end == 500_000_060)
    pace.goOn()
    #expect(!pace.isPaused)
    let again = pace.pause(for: 1, at: 1_000_000_000)
    #expect(again && pace.end == 1_100_000_000)
  }
}
