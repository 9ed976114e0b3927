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

  @Test(arguments: [#"{"ad":"Milk"}"#, #"{"ad":{}}"#, #""ad""#])
  func action_ofNoCase_isToldWhichThereAre(action: String) throws {
    let refusal = try TestSession(TaskList()).refusal(of: action)
    #expect(refusal == Refusal(.badAction, #"There is no action "ad" of TaskList; there are: add, toggle, clear."#))
    let only = try TestSession(Patient()).refusal(of: action)
    #expect(only.message == #"There is no action "ad" of Patient; there is: wait."#)
  }

  @Test func error_ofTheAppsOwn_isNotToldToClients() throws {
    let session = try TestSession(Picky())
    let refusal = try session.refusal(of: "1")
    #expect(refusal.code == .badAction)
    #expect(refusal.message == "Not a view action of Picky: its type does not accept it.")
    #expect(refusal.cause == "nothing is good enough")
  }

  // MARK: refuse

  @Test func refuse_isToldInTheAppsWords() throws {
    let session = try TestSession(Fragile())
    _ = session.takeEvents()
    let refusal = try session.refusal(of: #"{"wreck":"refuse"}"#)
    #expect(refusal == Refusal(.refused, Wreck.reason))
    #expect(session.takeEvents().last == .undone(reason: Wreck.reason))
  }

  @Test func refuse_twice_hasTheFirstReason() throws {
    let session = try TestSession(
      Scripted(
        state: Items<String>(), routes: [Route("grumblers", \.self) { Child(Grumbler(reasons: [$0, "and besides"])) }],
        changes: ["open": { $0 = Items(["first", "second"]) }, "close": { $0 = Items() }]))
    #expect(try session.refusal(of: "\"open\"") == Refusal(.refused, "first"))
    #expect(session.tree.nodeCount == 1)
    // The next transaction knows nothing of it.
    #expect(try session.send("\"close\"") == [])
  }

  @Test func refuse_undoesWhatWasDropped() throws {
    let lenient = try TestSession(Host(isStrict: false))
    try lenient.send("\"leaveAndCount\"", to: .path("guest"))
    #expect(lenient.tree.droppedActions == 1)
    let strict = try TestSession(Host(isStrict: true))
    #expect(try strict.refusal(of: "\"leaveAndCount\"", to: .path("guest")) == Refusal(.refused, "Stay."))
    #expect(strict.tree.droppedActions == 0)
    #expect(try strict.send("\"count\"", to: .path("guest")) == ["replace /nodes/2/state/count 1"])
  }

  @Test func refuse_ofWhatFollowsAnEffect_givesTheRestUp() throws {
    let session = try TestSession(Patient())
    try session.send("\"wait\"")
    let token = try #require(session.pendingEffects.first?.token)
    let before = session.view
    #expect(throws: Refusal(.refused, "Too late.")) { try session.end(token) }
    #expect(try session.snapshot() == before)
    #expect(session.tree.effectCount == 0)
    #expect(session.pendingEffects.map(\.id) == [EffectID("wait")])
    try session.send("\"wait\"")
    #expect(session.tree.effectCount == 1)
  }

  @Test func refuse_ofTheRootsActivation_startsNoTree() throws {
    let refusal = Refusal(.refused, "closed")
    let tree = Tree(root: Grumbler(reasons: [refusal.message]))
    #expect(throws: refusal) { _ = try tree.start(rendering: ViewRenderer()) }
    #expect(tree.nodeCount == 0)
    let snapshot = try TestSession(Grumbler(reasons: [])).savedSnapshot()
    let restored = Tree(root: Grumbler(reasons: [refusal.message]))
    #expect(throws: RestoreError.refused(refusal)) { _ = try restored.restore(snapshot, rendering: ViewRenderer()) }
    #expect(restored.nodeCount == 0)
  }
}

/// Refuses as often as it has reasons, as it becomes active.
private struct Grumbler: Riblet {
  static let typeName = "Grumbler"

  let reasons: [String]

  func makeState() -> Int { 0 }
  func didBecomeActive(_ state: inout Int) -> Effect<Self> { .merge(reasons.map { Effect<Self>.refuse($0) }) }
  func view(_ state: Int) -> Int { state }
}

private struct TaskList: Riblet {
  static let typeName = "TaskList"
  enum ViewAction: Decodable { case add(String), toggle(id: Int), clear }

  func makeState() -> Int { 0 }
  func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
  func view(_ state: Int) -> Int { state }
}

/// Lets its guest go, and thinks better of it.
private struct Host: Riblet {
  static let typeName = "Host"
  struct State { var guest: Tally.State? = Tally.State(id: 1) }
  enum InternalAction: Sendable { case guest(Tally.Output), goodbye }

  let isStrict: Bool

  var routes: [Route<Self>] { [Route("guest", \.guest) { Child(Tally(journal: Journal())) { .guest($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .guest:
      state.guest = nil
      // Behind what the guest still has to do, which comes too late.
      return .send(.goodbye)
    case .goodbye: return isStrict ? .refuse("Stay.") : .none
    }
  }

  func view(_ state: State) -> Bool { state.guest != nil }
}

/// Waits, and then refuses to go on.
private struct Patient: Riblet {
  static let typeName = "Patient"
  enum ViewAction: Decodable { case wait }

  func makeState() -> Int { 0 }

  func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
    .concatenate(.run(id: "wait") { _ in }, .refuse("Too late."), .run(id: "never") { _ in })
  }

  func view(_ state: Int) -> Int { state }
}
