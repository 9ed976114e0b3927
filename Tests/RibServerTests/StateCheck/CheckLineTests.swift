import Testing

@testable import RibServer

@Suite struct CheckLineTests {
  static let lines: [CheckLine] = [
    .begun(session: "5d1cf1a0e5a5a0a4", app: "an \"app\"\n"), .riblet("Cart"),
    .done(CheckedSession(outcome: .restored)),
    .done(CheckedSession(outcome: .migrated, migrations: [.init(type: "Cart", from: 1, to: 2)])),
    .done(
      CheckedSession(
        outcome: .rebuilt, problems: [.init(type: "Cart", reason: "gone"), .init(type: nil, reason: "é\n")])),
  ]

  @Test(arguments: lines) func line_isReadAsItWasWritten(_ line: CheckLine) {
    #expect(!line.text.contains("\n"))
    #expect(CheckLine(line.text) == line)
  }

  @Test(arguments: ["", "{", "{}", "[]", #"{"outcome":"better"}"#, #"{"session":1,"app":"a"}"#, "printed by an app"])
  func anythingElse_isNoLine(_ text: String) {
    #expect(CheckLine(text) == nil)
  }
}
