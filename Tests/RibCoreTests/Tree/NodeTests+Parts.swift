import RibCore
import RibTesting
import Testing
import Wire

/// How often a node compares the embedded list whose elements are the states of its children.
extension NodeTests {
  /// Changes one element of its list by as many internal actions as it is asked for.
  private struct Roster: Riblet {
    static let typeName = "Roster"
    struct State {
      var members: [Member.State]
    }
    enum ViewAction: Decodable { case change(Int) }
    enum InternalAction: Sendable { case change }

    let state: State

    var routes: [Route<Self>] { [Route("members", \.members) { _ in Child(Member()) }] }
    func makeState() -> State { state }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .change(let times): .merge((0..<times).map { _ in .send(.change) })
      }
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      state.members[0].count += 1
      return .none
    }

    func view(_ state: State) -> Int { 0 }
  }

  /// How often the ids of the elements are asked for while a node reduces so many actions in one transaction.
  private func asks(whileReducing times: Int, isEmbedded: Bool) throws -> Int {
    let journal = Journal()
    let state = Roster.State(members: (1...50).map { Member.State(number: $0, journal: journal) })
    let session =
      try isEmbedded
      ? TestSession(Scripted(state: state, routes: [Route("roster", \.self) { Child(Roster(state: state)) }]))
      : TestSession(Roster(state: state))
    session.asksViewsAgain = false
    _ = journal.take()
    try session.act(#"{"change":\#(times)}"#, at: isEmbedded ? "roster" : "")
    let asks = journal.take().count
    let shown = session.viewState(at: isEmbedded ? "roster/members[0]" : "members[0]")
    #expect(shown == .integer(Int64(times)))
    return asks
  }

  @Test(arguments: [false, true])
  func list_thatIsChangedByManyReductions_isComparedOnce(isEmbedded: Bool) throws {
    let once = try asks(whileReducing: 1, isEmbedded: isEmbedded)
    #expect(once > 0)
    #expect(try asks(whileReducing: 20, isEmbedded: isEmbedded) == once)
  }
}
