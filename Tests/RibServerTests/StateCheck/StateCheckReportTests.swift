import Testing
import Wire

@testable import RibServer

@Suite struct StateCheckReportTests {
  private func report(_ outcomes: [CheckedSession.Outcome]) -> StateCheckReport {
    var report = StateCheckReport(stored: outcomes.count)
    for (number, outcome) in outcomes.enumerated() {
      report.add(CheckedSession(outcome: outcome), named: "\(number)", of: "app")
    }
    return report
  }

  @Test func loss_isWhatADeployWouldDo() {
    #expect(report([.restored, .migrated, .poisoned]).isLossless)
    for outcome in [CheckedSession.Outcome.rebuilt, .newer, .failed] {
      #expect(!report([.restored, outcome]).isLossless, "\(outcome)")
    }
  }

  @Test func equalFindings_areCounted_andNameTheFirstSessions() throws {
    var report = StateCheckReport(stored: 40)
    for number in 1...12 {
      report.add(CheckedSession(.failed, "Cart", "items is missing"), named: "s\(number)", of: "shop")
    }
    report.add(CheckedSession(.rebuilt, "Row", "Line is in its place now"), named: "r", of: "shop")
    let migration = CheckedSession.Migration(type: "Cart", from: 1, to: 3)
    report.add(CheckedSession(outcome: .migrated, migrations: [migration, migration]), named: "m", of: "shop")
    #expect(
      report.text == """
        Checked 14 of 40 sessions.
        restored  0
        migrated  1
        rebuilt   1
        newer     0
        failed    12
        poisoned  0
        migrated: Cart from version 1 to 3, 2 times
        rebuilt: shop, Row: Line is in its place now
          r
        failed: shop, Cart: items is missing
          s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 and 2 more
        """)
    let json = try JSONValue(parsing: report.json)
    #expect(json["failed"] == .integer(12) && json["stored"] == .integer(40) && json["isLossless"] == .bool(false))
    guard case .array(let findings)? = json["findings"] else { throw PlainClient.Unexpected(text: report.json) }
    #expect(findings.last?["count"] == .integer(12) && findings.last?["type"] == .string("Cart"))
  }

  @Test func findings_areBounded() {
    var report = StateCheckReport(stored: 2000)
    for number in 1...2000 {
      report.add(CheckedSession(.failed, "Cart", "reason \(number)"), named: "\(number)", of: "shop")
    }
    #expect(report.text.split(separator: "\n").count == 7 + 2 * (StateCheckReport.findingLimit + 1))
    #expect(report.text.contains("failed: shop, Cart: Other reasons."))
  }
}
