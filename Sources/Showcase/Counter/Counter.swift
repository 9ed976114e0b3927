import RibCore

/// A number that goes up, down and back to zero.
struct Counter: Riblet {
  static let typeName = "Counter"

  struct State: Codable, Equatable { var count = 0 }
  enum ViewAction: String, Codable { case increment, decrement, reset }
  struct ViewState: Codable, Equatable { let count: Int, isNegative: Bool }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .increment: state.count &+= 1
    case .decrement: state.count &-= 1
    case .reset: state.count = 0
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count, isNegative: state.count < 0) }
}
