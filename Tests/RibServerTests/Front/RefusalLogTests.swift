import Logging
import RibTestSupport
import Testing

@testable import RibServer

@Suite struct RefusalLogTests {
  private let clock = TestClock()
  private let log = CollectedLog()

  /// Each once a minute, however often it comes.
  @Test func refusal_isSaidOnceAMinute() {
    let refusals = RefusalLog(log.logger, clock.clock)
    for _ in 1...3 {
      for name in ["a", "b"] { refusals.note(.host, "A host was refused.", name, ["host": "\(name)"]) }
      refusals.note(.origin, "An origin was refused.", "a", ["origin": "a"])
    }
    #expect(
      log.texts == ["A host was refused. host=a", "A host was refused. host=b", "An origin was refused. origin=a"])
    clock.advance(61)
    refusals.note(.host, "A host was refused.", "a", ["host": "a"])
    #expect(log.texts.count == 4)
  }

  /// Wrong credentials are everyday; whatever else is refused may be a setting that is missing.
  @Test func credentials_areLessImportant() {
    let refusals = RefusalLog(log.logger, clock.clock)
    refusals.note(.credentials, "A credential was refused.", "a", ["reason": "a"])
    refusals.note(.host, "A host was refused.", "a", ["host": "a"])
    #expect(log.all.map(\.level) == [.info, .notice])
  }

  /// What a stranger makes up takes neither memory nor the log, and does not hide what is of another kind.
  @Test func manyRefusals_areNotAllSaid() {
    let refusals = RefusalLog(log.logger, clock.clock)
    for number in 1...10_000 { refusals.note(.host, "A host was refused.", "\(number)", ["host": "\(number)"]) }
    #expect(log.texts.count == RefusalLog.countLimit + 1)
    #expect(log.texts.last?.hasPrefix("More of the same was refused") == true)
    refusals.note(.proxy, "Not believed.", "10.0.0.1", ["address": "10.0.0.1"])
    #expect(log.texts.last == "Not believed. address=10.0.0.1")
    clock.advance(61)
    refusals.note(.host, "A host was refused.", "new", ["host": "new"])
    #expect(log.texts.last == "A host was refused. host=new")
  }
}
