import Logging
import RibTestSupport
import Synchronization
import Testing

@testable import RibServer

@Suite struct RefusalLogTests {
  private let clock = TestClock()
  private let lines = LogLines()

  /// Each once a minute, however often it comes.
  @Test func refusal_isSaidOnceAMinute() {
    let log = RefusalLog(lines.logger, clock.clock)
    for _ in 1...3 {
      for name in ["a", "b"] { log.note(.host, "A host was refused.", name, ["host": "\(name)"]) }
      log.note(.origin, "An origin was refused.", "a", ["origin": "a"])
    }
    #expect(
      lines.all == ["A host was refused. host=a", "A host was refused. host=b", "An origin was refused. origin=a"])
    clock.advance(61)
    log.note(.host, "A host was refused.", "a", ["host": "a"])
    #expect(lines.all.count == 4)
  }

  /// What a stranger makes up takes neither memory nor the log, and does not hide what is of another kind.
  @Test func manyRefusals_areNotAllSaid() {
    let log = RefusalLog(lines.logger, clock.clock)
    for number in 1...10_000 { log.note(.host, "A host was refused.", "\(number)", ["host": "\(number)"]) }
    #expect(lines.all.count == RefusalLog.countLimit + 1)
    #expect(lines.all.last?.hasPrefix("More of the same was refused") == true)
    log.note(.proxy, "Not believed.", "10.0.0.1", ["address": "10.0.0.1"])
    #expect(lines.all.last == "Not believed. address=10.0.0.1")
    clock.advance(61)
    log.note(.host, "A host was refused.", "new", ["host": "new"])
    #expect(lines.all.last == "A host was refused. host=new")
  }
}
