import Testing

@testable import RibServer

@Suite struct TimerWheelTests {
  @Test(arguments: [1, 2, 63, 64, 65, 200])
  func deadline_comesAtItsSecondAndOnce(_ seconds: Int) {
    var wheel = TimerWheel()
    wheel.schedule(7, after: seconds)
    for second in 1...300 {
      #expect(wheel.advance() == (second == seconds ? [7] : []), "second \(second)")
    }
    #expect(wheel.count == 0)
  }

  @Test func deadlineOfNow_comesWithTheNextSecond() {
    var wheel = TimerWheel()
    wheel.schedule(1, after: 0)
    wheel.schedule(2, after: -5)
    #expect(wheel.advance() == [1, 2])
  }

  @Test func deadlines_ofOneSlot_comeInTheirOwnRound() {
    var wheel = TimerWheel()
    wheel.schedule(1, after: 3)
    wheel.schedule(2, after: 67)
    var due: [Int: [Int]] = [:]
    for second in 1...80 {
      let ids = wheel.advance()
      if !ids.isEmpty { due[second] = ids }
    }
    #expect(due == [3: [1], 67: [2]])
  }
}
