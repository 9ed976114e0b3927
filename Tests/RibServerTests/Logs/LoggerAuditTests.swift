import Logging
import RibTestSupport
import Testing

@testable import RibServer

@Suite struct LoggerAuditTests {
  @Test func deeds_areMarked() {
    let log = CollectedLog()
    log.logger.audit("A session was ended.", ["session": "1", "audit": "false"])
    #expect(log.all.map(\.level) == [.notice])
    #expect(log.texts == ["A session was ended. audit=true session=1"])
  }
}
