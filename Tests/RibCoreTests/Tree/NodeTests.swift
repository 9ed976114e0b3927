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
    let session = try TestSession(TalkativeParent(journal: journal))
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
    let session = try TestSession(TalkativeParent(journal: journal))
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

  private struct Half: Riblet {
    static let typeName = "Half"
    func makeState() -> Int { 0 }
    func view(_ state: Int) -> Int { state }
  }

  /// Has two children, of one part of its state or of two.
  private struct Whole: Riblet {
    static let typeName = "Whole"
    struct State { var (left, right) = (0, 0) }

    let isSplit: Bool

    var routes: [Route<Self>] {
      let right = isSplit ? \State.right : \State.left
      return [Route("left", \.left) { Child(Half()) }, Route("right", right) { Child(Half()) }]
    }
    func makeState() -> State { State() }
    func view(_ state: State) -> Int { state.left }
  }

  @Test func twoRoutes_toOnePartOfTheState_areAnError() async throws {
    let session = try TestSession(Whole(isSplit: true))
    #expect(session.tree.nodeCount == 3)
    await #expect(processExitsWith: .failure) { _ = try TestSession(Whole(isSplit: false)) }
  }
}
