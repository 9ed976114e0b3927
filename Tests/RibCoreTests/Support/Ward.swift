import RibCore

/// Some ``Tally``s, and one that is picked; in a state that is a part of its parent's.
struct Ward: Riblet {
  static let typeName = "Ward"
  struct State: Identifiable, Equatable {
    var id: Int
    var tallies: [Tally.State] = []
    var pick: Tally.State?
    /// Takes the place of the one that is picked when that leaves.
    var spare: Tally.State?
    var heard: [Int] = []

    var sum: Int { tallies.reduce(0) { $0 + $1.count } + (pick?.count ?? 0) }
  }
  enum ViewAction: Decodable { case clear }
  enum InternalAction: Sendable { case tally(Int, Tally.Output), pick(Tally.Output) }
  enum Output: Sendable { case heard(Int) }
  struct ViewState: Encodable, Equatable {
    let sum: Int
    let heard: [Int]
  }

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("tallies", \.tallies) { id in Child(Tally(journal: journal)) { .tally(id, $0) } },
      Route("pick", \.pick) { Child(Tally(journal: journal)) { .pick($0) } },
    ]
  }

  /// Never called, for the parent has the state.
  func makeState() -> State { State(id: -1) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+ward \(state.id)")
    return .none
  }

  func willResignActive(_ state: inout State) { journal.note("-ward \(state.id)") }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    for index in state.tallies.indices { state.tallies[index].count = 0 }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .tally(let id, .said):
      state.heard.append(id)
      return .output(.heard(id))
    case .tally(let id, .leave): state.tallies.removeAll { $0.id == id }
    case .pick(.said): break
    case .pick(.leave): state.pick = state.spare
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(sum: state.sum, heard: state.heard) }
}
