import RibCore
import RibTesting
import Testing
import Wire

struct InteractorTests {
  // MARK: Only view actions come from JSON

  @Test(arguments: [
    "\"finish\"", #"{"finish":{}}"#, #"{"set":5}"#, #"{"set":{"_0":5}}"#, "\"leave\"", #"{"order":{"finish":{}}}"#,
    #"{"internalAction":{"finish":{}}}"#, #"{"viewAction":{"tap":{}}}"#,
  ])
  func internalActionsAndOutputs_areOutOfReach(action: String) throws {
    let session = try TestSession(Guarded())
    let refusal = try session.refusal(of: action, to: .path("child"))
    #expect(refusal.code == .badAction)
    #expect(refusal.message.contains("Guard"))
  }

  @Test func viewAction_winsOverAnInternalActionOfThatName() throws {
    let session = try TestSession(Guarded())
    #expect(try session.send("\"tap\"", to: .path("child")) == [#"replace /nodes/2/state "view tap""#])
    #expect(try session.send(#"{"tap":{}}"#, to: .path("child")) == [])
  }

  @Test(arguments: ["\"tap\"", "{}", #"{"tap":{}}"#, "null", "1"])
  func riblet_withoutViewActions_refusesAll(action: String) throws {
    let session = try TestSession(Guarded())
    let refusal = try session.refusal(of: action)
    #expect(refusal.code == .badAction)
    #expect(refusal.message.contains("Guarded"))
  }

  // MARK: Classes

  @Test func riblet_mayBeAClass() async throws {
    let session = try TestSession(Classy())
    #expect(try session.send("\"tap\"") == ["replace /nodes/1/state 1"])
    try await session.runNextEffect()
    #expect(session.view["nodes"]?["1"]?["state"] == .integer(2))
  }
}
