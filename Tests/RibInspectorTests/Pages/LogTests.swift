import RibCore
import RibServer
import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibInspector

struct LogTests {
  @Test func lines_areThoseOfTheLevel_andAbove() throws {
    let panel = Panel()
    panel.state.withLock {
      $0.lines = ["notice", "warning", "error", "critical"].enumerated().map {
        LogLine(id: $0, time: 0, level: $1, logger: "ribd", message: "A line.", metadata: "")
      }
    }
    let context = SessionContext(id: "i", identity: CurrentIdentity(Identity("ada", roles: ["look"])))
    let session = try TestSession(
      Inspector(context: context, service: panel.service(), clock: ManualClock()), effects: .running)
    try session.act(#"{"pageTapped":"log"}"#)
    func levels() -> [String?] {
      guard case .array(let lines)? = session.node(at: "page")?["state"]?["lines"] else { return [] }
      return lines.map { $0["level"]?.string }
    }
    #expect(levels() == ["notice", "warning", "error", "critical"])
    try session.act(#"{"levelChosen":"error"}"#, at: "page")
    #expect(levels() == ["error", "critical"])
  }
}
