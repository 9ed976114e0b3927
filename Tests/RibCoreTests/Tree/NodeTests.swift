import RibCore
import RibTesting
import Testing
import Wire

/// In which order a node handles what reducers return.
struct NodeTests {
  private let journal = Journal()

  @Test func act_withActionsInAnswer_isOneTransaction() throws {
    let session = try TestSession(Talker(journal: journal))
    #expect(try session.send(#"{"go":{}}"#) == ["replace /nodes/1/state/last \"C\""])
    #expect(journal.take() == ["go", "A", "B", "C"])
  }

  @Test func send_comesAfterWhatIsQueued() throws {
    let session = try TestSession(Talker(journal: journal))
    try session.send(#"{"nest":{}}"#)
    // A's answer, C, is queued behind B and D, which the same merge holds.
    #expect(journal.take() == ["nest", "A", "B", "D", "C"])
  }

  @Test func output_isNeverHandledReentrantly() throws {
    let session = try TestSession(Parent(journal: journal))
    journal.note("act")
    try session.send(#"{"tell":{}}"#, to: .path("child"))
    // The parent's answer to the first output comes after all that the child said before.
    #expect(
      journal.take() == [
        "act", "child tells", "child is done", "parent hears first", "child follows up", "parent hears second",
        "parent answers first", "parent hears third", "parent answers second", "parent answers third",
      ])
    #expect(session.property("heard") == .string("third"))
  }

  @Test func output_thatTheParentAnswersByDetaching_losesNoOtherOutput() throws {
    let session = try TestSession(Parent(journal: journal))
    try session.send(#"{"part":{}}"#, to: .path("child"))
    #expect(session.property("heard") == .string("last words"))
    #expect(try session.ids(on: "child") == [])
    #expect(session.tree.droppedActions == 0)
  }

  @Test func output_isForTheDirectParentOnly() throws {
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    let patch = try session.send(#"{"say":"hello"}"#, to: .path("detail/inner"))
    #expect(patch == ["replace /nodes/2/state/heard \"hello\""])
  }

  @Test func output_ofDidBecomeActive_isPartOfTheTransaction() throws {
    let session = try TestSession(Greeted())
    let patch = try session.send(#"{"greet":{}}"#)
    #expect(
      patch == [
        #"add /nodes/2 {"state":{},"type":"Greeter"}"#, #"replace /nodes/1/state/heard "hello""#,
        "add /nodes/1/children/greeter/ids/0 2",
      ])
  }

  @Test func act_thatChangesNothing_hasNoOperations() throws {
    let session = try TestSession(Desk())
    #expect(try session.send(#"{"close":{}}"#) == [])
  }

  @Test func act_onATouchedNode_doesNotTouchTheOthers() throws {
    let session = try TestSession(Desk(detail: "a/b"))
    #expect(try session.send(#"{"count":{}}"#, to: .path("detail/inner")) == ["replace /nodes/3/state/count 1"])
    #expect(try session.send(#"{"count":{}}"#) == ["replace /nodes/1/state/count 1"])
  }
}

/// Answers itself.
private struct Talker: Riblet {
  static let typeName = "Talker"
  enum ViewAction: Decodable { case go, nest }
  enum InternalAction: String, Sendable { case a = "A", b = "B", c = "C", d = "D" }
  struct ViewState: Encodable, Equatable { let last: String }

  let journal: Journal

  func makeState() -> String { "" }

  func reduce(into last: inout String, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .go:
      journal.note("go")
      return .merge(.send(.a), .send(.b))
    case .nest:
      journal.note("nest")
      return .merge(.merge([.send(.a), .merge(.none, .send(.b))]), .send(.d))
    }
  }

  func reduce(into last: inout String, internalAction: InternalAction) -> Effect<Self> {
    journal.note(internalAction.rawValue)
    last = internalAction.rawValue
    return internalAction == .a ? .send(.c) : .none
  }

  func view(_ last: String) -> ViewState { ViewState(last: last) }
}

/// Answers each output of its child with an internal action.
private struct Parent: Riblet {
  static let typeName = "Parent"
  struct State {
    var heard = ""
    var child = Slot(0)
  }
  enum InternalAction: Sendable { case answer(String) }
  struct ViewState: Encodable, Equatable { let heard: String }

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("child", \.child) { [journal] _ in
        Child(Talkative(journal: journal)) { state, output in
          switch output {
          case .said(let text):
            journal.note("parent hears \(text)")
            state.heard = text
            return .send(.answer(text))
          case .goodbye:
            state.child.detach()
            return .none
          }
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .answer(let text): journal.note("parent answers \(text)")
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard) }
}

private struct Talkative: Riblet {
  static let typeName = "Talkative"
  enum ViewAction: Decodable { case tell, part }
  enum InternalAction: Sendable { case followUp }
  enum Output: Sendable { case said(String), goodbye }
  struct ViewState: Encodable, Equatable {}

  let journal: Journal

  func makeState() {}

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .tell:
      journal.note("child tells")
      defer { journal.note("child is done") }
      return .merge(.output(.said("first")), .send(.followUp), .output(.said("second")))
    case .part:
      return .merge(.output(.goodbye), .output(.said("last words")))
    }
  }

  func reduce(into state: inout Void, internalAction: InternalAction) -> Effect<Self> {
    journal.note("child follows up")
    return .output(.said("third"))
  }

  func view(_ state: Void) -> ViewState { ViewState() }
}

/// Attaches a child that speaks as soon as it is there.
private struct Greeted: Riblet {
  static let typeName = "Greeted"
  struct State {
    var heard = ""
    var greeter = Slot<Int>()
  }
  enum ViewAction: Decodable { case greet }
  struct ViewState: Encodable, Equatable { let heard: String }

  var routes: [Route<Self>] {
    [
      Route("greeter", \.greeter) { _ in
        Child(Greeter()) { state, output in
          switch output {
          case .hello: state.heard = "hello"
          }
          return .none
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.greeter.attach(1)
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard) }
}

private struct Greeter: Riblet {
  static let typeName = "Greeter"
  enum Output: Sendable { case hello }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .output(.hello) }
  func view(_ state: Void) -> ViewState { ViewState() }
}
