import Testing

@testable import RibServer

@Suite struct PaceTests {
  @Test func clientThatSendsOnlyActions_isHeldToTheirNumberAlone() {
    let limits = ServerSettings.Limits()
    var pace = Pace(limits, of: 0)
    var now: UInt64 = 1
    for _ in 0..<1000 {
      // The longest there are, each in two frames and inflated, at their rate.
      let waits = [pace.noteMessages(2, bytes: 2 * limits.messageBytes, at: now), pace.noteAction(at: now)]
      #expect(waits == [0, 0])
      now += 20_000_000
    }
  }

  @Test func otherMessages_comeTenTimesAsOften_andLongOnesCountMore() {
    let limits = ServerSettings.Limits()
    var short = Pace(limits, of: 0)
    var long = Pace(limits, of: 0)
    var cut = Pace(limits, of: 0)
    let waits = (0..<1001).map { _ in short.noteMessages(1, bytes: 1, at: 5) }
    #expect(waits.prefix(999).allSatisfy { $0 == 0 })
    #expect(Array(waits.suffix(2)) == [2_000_000, 4_000_000])
    // A message of the longest counts five times.
    #expect((0..<201).map { _ in long.noteMessages(1, bytes: limits.messageBytes, at: 5) }.filter { $0 > 0 }.count == 2)
    // However it is cut.
    let parts = (0..<65_536).map { _ in cut.noteMessages(0, bytes: 4, at: 5) }
    #expect(parts.allSatisfy { $0 == 0 })
    #expect((0..<985).map { _ in cut.noteMessages(1, bytes: 0, at: 5) }.filter { $0 > 0 }.count == 2)
  }

  /// However short the bucket is: a client that always has one more action gets its rate.
  @Test(arguments: [(50, 100, 0), (50, 1, 7), (5000, 100, 7), (1, 5, 3)])
  func client_getsItsRate(row: (rate: Int, burst: Int, number: Int)) {
    var limits = ServerSettings.Limits()
    (limits.actionsPerSecond, limits.actionBurst) = (row.rate, row.burst)
    var pace = Pace(limits, of: row.number)
    var now: UInt64 = 1_000_000_000
    let seconds = 20
    let end = now + UInt64(seconds) * 1_000_000_000
    var actions = 0
    while now < end {
      actions += 1
      let waits = [pace.noteMessages(1, bytes: 60, at: now), pace.noteAction(at: now)]
      guard let wait = waits.max(), wait > 0 else { continue }
      _ = pace.pause(for: wait, at: now)
      now = pace.end
      pace.goOn()
    }
    #expect(abs(actions - row.rate * seconds - row.burst) <= row.burst + row.rate / 5 + 1)
  }

  @Test func rateOfZero_isNoLimit() {
    var limits = ServerSettings.Limits()
    limits.actionsPerSecond = 0
    var pace = Pace(limits, of: 0)
    let waits = (0..<5000).map { _ in pace.noteMessages(1, bytes: 1 << 30, at: 5) + pace.noteAction(at: 5) }
    #expect(waits.allSatisfy { $0 == 0 })
  }

  @Test func pause_becomesLongerAndNotShorter_andIsWorthIt() {
    var pace = Pace(ServerSettings.Limits(), of: 0)
    let begins = [
      pace.pause(for: 1, at: 50), pace.pause(for: 500_000_000, at: 60), pace.pause(for: 200_000_000, at: 70),
    ]
    #expect(begins == [true, false, false])
    #expect(pace.isPaused && pace.end == 500_000_060)
    pace.goOn()
    #expect(!pace.isPaused)
    let again = pace.pause(for: 1, at: 1_000_000_000)
    #expect(again && pace.end == 1_100_000_000)
    var neighbour = Pace(ServerSettings.Limits(), of: 1)
    _ = neighbour.pause(for: 1, at: 1_000_000_000)
    #expect(neighbour.end == 1_106_250_000)
  }
}
