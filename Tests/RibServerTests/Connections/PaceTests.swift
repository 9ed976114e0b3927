import Testing

@testable import RibServer

@Suite struct PaceTests {
  @Test func pause_becomesLongerAndNotShorter_andIsWorthIt() {
    let allowance: UInt64 = 2_000_000_000
    var pace = Pace(allowance, of: 0)
    let begins = [
      pace.pause(for: 1, at: 50), pace.pause(for: 500_000_000, at: 60), pace.pause(for: 200_000_000, at: 70),
    ]
    #expect(begins == [true, false, false])
    #expect(pace.isPaused && pace.end == 500_000_060)
    pace.goOn()
    #expect(!pace.isPaused)
    let again = pace.pause(for: 1, at: 1_000_000_000)
    #expect(again && pace.end == 1_100_000_000)
    var neighbour = Pace(allowance, of: 1)
    _ = neighbour.pause(for: 1, at: 1_000_000_000)
    #expect(neighbour.end == 1_106_250_000)
  }
}
