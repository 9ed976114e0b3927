import RibCore
import RibTesting
import Testing
import Wire

struct RefusalTests {
  @Test(arguments: [
    (#"{"open":5}"#, " at \"open\": ", "string"),
    (#"{"open":{"_0":5}}"#, " at \"open._0\": ", "string"),
    (#"{"open":{"_0":{"a":[1]}}}"#, " at \"open._0\": ", "string"),
    ("5", ": ", "object"),
    ("[]", ": ", "object"),
    ("null", ": ", "object"),
    ("{}", ": ", "one key"),
    (#"{"count":{},"close":{}}"#, ": ", "one key"),
  ])
  func action_thatDoesNotDecode_isRefusedWithRibletPathAndReason(
    action: String, place: String, reason: String
  ) throws {
    let session = try TestSession(Desk(detail: "a"))
    let refusal = try session.refusal(of: action, to: .path("detail"))
    #expect(refusal.code == .badAction)
    #expect(refusal.message.hasPrefix("Not a view action of Page\(place)"))
    #expect(refusal.message.contains(reason))
  }

  @Test(arguments: [#"{"fly":{}}"#, #""fly""#])
  func action_ofNoCase_isRefusedWithTheRibletsName(action: String) throws {
    let session = try TestSession(Desk())
    let refusal = try session.refusal(of: action)
    #expect(refusal.code == .badAction)
    #expect(refusal.message.hasPrefix("Not a view action of Desk: "))
  }

  @Test func error_ofTheAppsOwn_isNotToldToClients() throws {
    let session = try TestSession(Picky())
    let refusal = try session.refusal(of: "1")
    #expect(refusal.code == .badAction)
    #expect(refusal.message == "Not a view action of Picky: its type does not accept it.")
    #expect(refusal.cause == "nothing is good enough")
  }
}
