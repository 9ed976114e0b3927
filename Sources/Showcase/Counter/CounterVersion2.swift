import RibCore

/// The counter as it is deployed while people use the first one: its state has another shape, and it has one button more.
struct CounterVersion2: Riblet {
  static let typeName = "Counter"
  static let stateVersion = 2

  struct State: Codable, Equatable {
    var total = 0
    /// How often a button was pressed since this version runs.
    var presses = 0
  }
  enum ViewAction: String, Codable { case increment, decrement, reset, addTen }
  struct ViewState: Codable, Equatable { let count: Int, isNegative: Bool, presses: Int }

  func makeState() -> State { State() }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    State(total: try saved.decode(Counter.State.self).count)
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.presses += 1
    switch viewAction {
    case .increment: state.total &+= 1
    case .decrement: state.total &-= 1
    case .addTen: state.total &+= 10
    case .reset: state.total = 0
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.total, isNegative: state.total < 0, presses: state.presses)
  }
}
