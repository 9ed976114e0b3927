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
  enum Output: Sendable { case heard(Int) }
  struct ViewState: Encodable, Equatable {
    let sum: Int
    let heard: [Int]
  }

  let journal: Journal

  var routes: [Route<Self>] {
    [
      .forEach("tallies", \.tallies, Tally(journal: journal)) { state, id, output in
        switch output {
        case .said:
          state.heard.append(id)
          return .output(.heard(id))
        case .leave:
          state.tallies.removeAll { $0.id == id }
          return .none
        }
      },
      .ifLet("pick", \.pick, Tally(journal: journal)) { state, output in
        if case .leave = output { state.pick = state.spare }
        return .none
      },
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

  func view(_ state: State) -> ViewState { ViewState(sum: state.sum, heard: state.heard) }
}
