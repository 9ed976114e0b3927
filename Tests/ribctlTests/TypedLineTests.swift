import Testing
import Wire

@testable import ribctl

struct TypedLineTests {
  @Test(
    arguments: [
      ("", .show), (" \t", .show), (":back", .back), ("  :back ", .back), (":check", .check),
      (":share view", .share(.view)), (":share \t act ", .share(.act)),
    ] as [(String, TypedLine)])
  func line_isWhatItSays(line: String, typed: TypedLine) throws {
    #expect(try TypedLine(parsing: line) == typed)
  }

  @Test(arguments: ["increment", "back", #"#7 rename {"to":":back"}"#, "@tabs[0] open"])
  func otherLine_isAnAction(line: String) throws {
    #expect(try TypedLine(parsing: line) == .act(try ActionLine(parsing: line)))
  }

  @Test(arguments: [":", ":Back", ":back 1", ":check now", ":share", ":share all", ":share view act", ": back", ":x"])
  func unknownCommand_isRefusedByName(line: String) {
    let reason = "There is no \(line): write :back, :check, :share view or :share act."
    #expect(throws: ActionLineError(reason: reason)) { try TypedLine(parsing: line) }
  }

  @Test func brokenAction_isRefused() {
    #expect(throws: ActionLineError(reason: "There is no action.")) { try TypedLine(parsing: "#7") }
  }
}
