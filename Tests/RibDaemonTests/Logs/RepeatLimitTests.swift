import Logging
import Testing

@testable import RibDaemon

@Suite struct RepeatLimitTests {
  private static func entry(_ message: String, at time: Int64, _ level: Logger.Level = .notice) -> LogFormat.Entry {
    LogFormat.Entry(time: time, level: level, label: "test", message: message, metadata: ["n": "\(time)"])
  }

  @Test func lines_areLeftOut_andCountedWithTheNextOne() {
    var limit = RepeatLimit()
    var verdicts: [RepeatLimit.Verdict] = []
    for time in 0..<100 { verdicts.append(limit.note(Self.entry("a", at: Int64(time)))) }
    #expect(verdicts == Array(repeating: .write, count: 59) + [.writeLast] + Array(repeating: .leaveOut, count: 40))
    // Of others there were fewer.
    #expect(limit.note(Self.entry("b", at: 100)) == .write)
    #expect(limit.note(Self.entry("a", at: 100, .error)) == .write)
    #expect(limit.note(Self.entry("a", at: RepeatLimit.minute - 1)) == .leaveOut)
    #expect(limit.note(Self.entry("a", at: RepeatLimit.minute)) == .writeAfter(41))
    #expect(limit.note(Self.entry("a", at: RepeatLimit.minute + 1)) == .write)
  }

  @Test(arguments: [Logger.Level.trace, .debug, .critical]) func someLevels_areNeverLeftOut(_ level: Logger.Level) {
    var limit = RepeatLimit()
    for time in 0..<1000 { #expect(limit.note(Self.entry("a", at: Int64(time), level)) == .write) }
  }

  /// Nobody hides what an operator has done behind many lines of it.
  @Test func deedsOfOperators_areNeverLeftOut() {
    var limit = RepeatLimit()
    for time in 0..<1000 {
      var entry = Self.entry("A session was ended.", at: Int64(time))
      entry.metadata["audit"] = "true"
      #expect(limit.note(entry) == .write)
    }
  }

  /// A clock that is set back does not silence a message until then.
  @Test func clockThatIsSetBack_beginsAnew() {
    var limit = RepeatLimit()
    for _ in 0..<60 { _ = limit.note(Self.entry("a", at: 1000)) }
    #expect(limit.note(Self.entry("a", at: 999)) == .write)
  }

  /// A message that a client has a part in could take memory without end.
  @Test func messages_areBounded() {
    var limit = RepeatLimit()
    for number in 0..<10_000 { #expect(limit.note(Self.entry("\(number)", at: Int64(number))) == .write) }
    #expect(
      Mirror(reflecting: limit).children.contains { ($0.value as? any Collection)?.count == RepeatLimit.messageLimit })
  }
}
