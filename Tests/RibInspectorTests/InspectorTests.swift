import RibCore
import RibServer
import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibInspector

struct InspectorTests {
  private let panel = Panel()
  private let clock = ManualClock()
  private let clients = ConnectedClients()
  private static let operatorIdentity = Identity("ada", roles: ["look", "operate"])
  private let ada = ActingClient(subject: "ada", roles: ["look", "operate"])
  private let eve = ActingClient(subject: "eve", roles: ["look"])

  private func session(_ identity: Identity = operatorIdentity) throws -> TestSession {
    let context = SessionContext(id: "i", clients: clients, identity: CurrentIdentity(identity))
    return try TestSession(Inspector(context: context, service: panel.service(), clock: clock), effects: .running)
  }

  private func type(at route: String, of session: TestSession) -> String? {
    session.node(at: route)?["type"]?.string
  }

  private func state(at route: String, of session: TestSession) -> JSONValue? { session.node(at: route)?["state"] }

  // MARK: Looking

  @Test func page_isLookedAtOnce_whileNobodyIsConnected() throws {
    let session = try session()
    #expect(state(at: "page", of: session)?["overview"] != nil)
    clock.advance(by: .seconds(10))
    _ = session.view
    #expect(panel.looks(at: "overview") == 1)
    #expect(panel.openLooks(at: "overview") == 0)
  }

  @Test func page_isLookedAtEachSecond_whileAClientIsConnected() throws {
    let session = try session()
    clients.update(to: 1)
    _ = session.view
    let before = panel.looks(at: "overview")
    for _ in 0..<5 {
      clock.advance(by: .seconds(1))
      _ = session.view
    }
    #expect(panel.looks(at: "overview") == before + 5)
    clients.update(to: 0)
    _ = session.view
    let after = panel.looks(at: "overview")
    clock.advance(by: .seconds(60))
    _ = session.view
    #expect(panel.looks(at: "overview") <= after + 1)
    #expect(panel.openLooks(at: "overview") == 0)
  }

  @Test(arguments: Page.allCases) func pageThatIsTapped_isShown_andAloneIsLookedAt(_ page: Page) throws {
    let session = try session()
    clients.update(to: 1)
    try session.act(#"{"pageTapped":"\#(page.rawValue)"}"#)
    let name = page.rawValue.prefix(1).uppercased() + page.rawValue.dropFirst()
    #expect(type(at: "page", of: session) == name)
    #expect(panel.looks(at: page.rawValue) > 0)
    guard page != .overview else { return }
    #expect(panel.openLooks(at: "overview") == 0)
  }

  /// Going back closes what is above a page, and never leaves an operator without one.
  @Test func goingBack_closesTheSession_butNoPage() throws {
    let session = try session()
    try session.act(#"{"pageTapped":"sessions"}"#)
    try session.act(#"{"sessionEntered":{"id":"abc"}}"#)
    #expect(try session.back())
    #expect(state(at: "session", of: session) == nil && type(at: "page", of: session) == "Sessions")
    for address in ["", "page"] { #expect(try !session.back(from: .path(address))) }
    #expect(type(at: "page", of: session) == "Sessions")
  }

  @Test func sessionAboveAPage_pausesThePage_untilItIsClosed() throws {
    panel.state.withLock { $0.detail = SessionDetail() }
    let session = try session()
    clients.update(to: 1)
    try session.act(#"{"pageTapped":"sessions"}"#)
    try session.act(#"{"openTapped":{"id":"abc"}}"#, at: "page")
    #expect(state(at: "session", of: session)?["id"] == .string("abc"))
    let paused = panel.looks(at: "sessions")
    for _ in 0..<3 {
      clock.advance(by: .seconds(1))
      _ = session.view
    }
    #expect(panel.looks(at: "session abc by ada") >= 3)
    #expect(panel.openLooks(at: "session abc by ada") == 1)
    #expect(panel.looks(at: "sessions") <= paused)
    try session.act(#""closeTapped""#, at: "session")
    #expect(type(at: "session", of: session) == nil)
    clock.advance(by: .seconds(1))
    _ = session.view
    #expect(panel.openLooks(at: "session abc by ada") == 0)
    #expect(panel.looks(at: "sessions") > paused)
  }

  @Test func sessionThatIsNotThere_isSaidToBeElsewhere() throws {
    let session = try session()
    try session.act(#"{"sessionEntered":{"id":" abc "}}"#)
    #expect(state(at: "session", of: session)?["id"] == .string("abc"))
    #expect(state(at: "session", of: session)?["isElsewhere"] == .bool(true))
    let refusal = #expect(throws: Refusal.self) { try session.act(#"{"sessionEntered":{"id":"  "}}"#) }
    #expect(refusal?.code == .refused)
  }

  @Test func lookThatFails_keepsWhatWasSeen_andSaysWhy() throws {
    let session = try session()
    clients.update(to: 1)
    _ = session.view
    panel.state.withLock { $0.failure = InspectionError("The server does not run.") }
    clock.advance(by: .seconds(1))
    #expect(state(at: "page", of: session)?["problem"] == .string("The server does not run."))
    #expect(state(at: "page", of: session)?["overview"] != nil)
    panel.state.withLock { $0.failure = nil }
    clock.advance(by: .seconds(1))
    #expect(state(at: "page", of: session)?["problem"] == nil)
  }

  // MARK: Acting

  @Test func operation_isDone_onceItIsConfirmed_inTheNameOfTheOperator() throws {
    let session = try session()
    try session.act(#"{"sessionEntered":{"id":"abc"}}"#, as: ada)
    try session.act(#""endTapped""#, to: .path("session"), as: ada)
    #expect(state(at: "confirm", of: session)?["step"] == .string("asking"))
    #expect(state(at: "confirm", of: session)?["isDestructive"] == .bool(true))
    #expect(panel.performed.isEmpty)
    try session.act(#""confirmTapped""#, to: .path("confirm"), as: ada)
    #expect(state(at: "confirm", of: session)?["step"] == .string("done"))
    #expect(panel.performed == [.init(operation: .end(session: "abc"), name: "ada")])
    let again = #expect(throws: Refusal.self) {
      try session.act(#""confirmTapped""#, to: .path("confirm"), as: ada)
    }
    #expect(again?.code == .refused)
    try session.act(#""closeTapped""#, to: .path("confirm"), as: ada)
    #expect(type(at: "confirm", of: session) == nil)
    #expect(panel.performed.count == 1)
  }

  @Test func operationThatFails_saysWhy() throws {
    let session = try session()
    try session.act(#""drainTapped""#, to: .path("page"), as: ada)
    panel.state.withLock { $0.failure = InspectionError("No.") }
    try session.act(#""confirmTapped""#, to: .path("confirm"), as: ada)
    #expect(state(at: "confirm", of: session)?["step"] == .string("failed"))
    #expect(state(at: "confirm", of: session)?["result"] == .string("No."))
  }

  /// Each action that begins an operation, and where it is sent.
  private static let operations: [(page: Page, action: String, route: String)] = [
    (.overview, #""drainTapped""#, "page"), (.overview, #""reloadTapped""#, "page"),
    (.store, #""backUpTapped""#, "page"), (.signIn, #""refetchKeysTapped""#, "page"),
    (.signIn, #"{"unblockTapped":{"address":"203.0.113.9"}}"#, "page"),
    (.crashes, #"{"liftTapped":{"session":"abc"}}"#, "page"),
    (.sessions, #"{"reconnectTapped":{"client":1}}"#, "session"),
    (.sessions, #"{"signOutTapped":{"client":1}}"#, "session"), (.sessions, #""endTapped""#, "session"),
    (.sessions, #""recordTapped""#, "session"), (.sessions, #""liftTapped""#, "session"),
  ]

  @Test(arguments: operations.indices) func operation_isForOperatorsAlone(_ index: Int) throws {
    let (page, action, route) = Self.operations[index]
    let session = try session()
    try session.act(#"{"pageTapped":"\#(page.rawValue)"}"#, as: eve)
    try session.act(#"{"sessionEntered":{"id":"abc"}}"#, as: eve)
    let refusal = #expect(throws: Refusal.self) { try session.act(action, to: .path(route), as: eve) }
    #expect(refusal?.code == .forbidden)
    #expect(type(at: "confirm", of: session) == nil)
    try session.act(action, to: .path(route), as: ada)
    #expect(type(at: "confirm", of: session) == "Confirm")
    let confirmation = #expect(throws: Refusal.self) {
      try session.act(#""confirmTapped""#, to: .path("confirm"), as: eve)
    }
    #expect(confirmation?.code == .forbidden)
    #expect(panel.performed.isEmpty)
  }

  /// The audit names the operator whose session it is.
  @Test func operation_isNotConfirmed_byAnotherOperatorsClient() throws {
    let session = try session()
    try session.act(#""drainTapped""#, to: .path("page"), as: ada)
    let bob = ActingClient(id: 2, subject: "bob", roles: ["look", "operate"])
    let refusal = #expect(throws: Refusal.self) {
      try session.act(#""confirmTapped""#, to: .path("confirm"), as: bob)
    }
    #expect(refusal?.code == .forbidden)
    try session.act(#""closeTapped""#, to: .path("confirm"), as: bob)
    #expect(panel.performed.isEmpty)
  }

  @Test func operator_isNamed_andWhetherItMayAct() throws {
    #expect(try session().view["nodes"]?["1"]?["state"]?["mayOperate"] == .bool(true))
    let looking = try session(Identity("eve", roles: ["look"]))
    #expect(looking.view["nodes"]?["1"]?["state"]?["name"] == .string("eve"))
    #expect(looking.view["nodes"]?["1"]?["state"]?["mayOperate"] == .bool(false))
  }
}
