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

  @Test func level_isChosenByOperators_onceItIsConfirmed() throws {
    let panel = Panel()
    func session(_ role: String) throws -> TestSession {
      let context = SessionContext(id: "i", identity: CurrentIdentity(Identity("ada", roles: [role])))
      let session = try TestSession(
        Inspector(context: context, service: panel.service(), clock: ManualClock()), effects: .running)
      try session.act(#"{"pageTapped":"log"}"#)
      return session
    }
    let observer = try session("look")
    #expect(observer.node(at: "page")?["state"]?["written"]?["name"]?.string == "info")
    #expect(throws: (any Error).self) { try observer.act(#"{"writeTapped":"debug"}"#, at: "page") }
    #expect(throws: (any Error).self) { try observer.act(#"{"levelChosen":"debug"}"#, at: "page") }

    let boss = try session("operate")
    let ada = ActingClient(subject: "ada", roles: ["operate"])
    try boss.act(#"{"writeTapped":"debug"}"#, to: .path("page"), as: ada)
    #expect(panel.performed == [])
    try boss.act(#""confirmTapped""#, to: .path("confirm"), as: ada)
    #expect(panel.performed == [Panel.Performed(operation: .writeLog(from: .debug), name: "ada")])
  }
}
