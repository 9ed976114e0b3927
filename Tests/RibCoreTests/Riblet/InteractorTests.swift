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

/// Has only a child.
private struct Guarded: Riblet {
  static let typeName = "Guarded"
  struct State { var child = Slot(0) }

  var routes: [Route<Self>] { [Route("child", \.child) { _ in Child(Guard()) { _, _ in .none } }] }

  func makeState() -> State { State() }
  func view(_ state: State) -> Int { 0 }
}

/// Has internal actions and outputs that decode as well as its view actions do.
private struct Guard: Riblet {
  static let typeName = "Guard"
  enum ViewAction: String, Decodable { case tap }
  enum InternalAction: Decodable { case tap, finish, set(Int) }
  enum Output: String, Decodable { case leave }

  func makeState() -> String { "" }

  func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
    state = "view \(viewAction)"
    return .none
  }

  func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
    state = "internal \(internalAction)"
    return .output(.leave)
  }

  func view(_ state: String) -> String { state }
}

private final class Classy: Riblet {
  static let typeName = "Classy"
  enum ViewAction: String, Decodable { case tap }
  enum InternalAction: Sendable { case tapped }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Classy> {
    count += 1
    return .run { send in await send(.tapped) }
  }

  func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Classy> {
    count += 1
    return .none
  }

  func view(_ count: Int) -> Int { count }
}
