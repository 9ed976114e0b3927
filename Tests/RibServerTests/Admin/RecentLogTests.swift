import Logging
import Testing

@testable import RibServer

struct RecentLogTests {
  private let log = RecentLog(TimeSource(monotonic: { 0 }, wall: { 1000 }))

  private var logger: Logger {
    var logger = Logger(label: "ribd") { log.handler($0) }
    logger.logLevel = .trace
    return logger
  }

  @Test func lines_areThoseOfNoticeAndAbove() {
    for level in Logger.Level.allCases { logger.log(level: level, "A line.", metadata: ["b": "2", "a": "1"]) }
    #expect(log.lines.map(\.level) == ["notice", "warning", "error", "critical"])
    #expect(
      log.lines.first
        == LogLine(
          id: 1, time: 1_000_000, level: "notice", logger: "ribd", message: "A line.", metadata: "a=1 b=2"))
  }

  @Test func lines_areTheNewest_andEachIsCut() {
    for number in 1...(RecentLog.limit + 3) { logger.warning("\(number)") }
    #expect(log.lines.count == RecentLog.limit)
    #expect(log.lines.first?.id == 4)
    logger.error("\(String(repeating: "x", count: 5000))", metadata: ["y": "\(String(repeating: "y", count: 5000))"])
    #expect(log.lines.last?.message.count == 1000)
    #expect(log.lines.last?.metadata.count == 1000)
  }
}
