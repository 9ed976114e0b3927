import RibCore

/// Has two routes over its whole screen, each of which says when it is done.
struct Screen2: Riblet {
  static let typeName = "Screen2"

  struct State: Codable, Equatable {
    var subRoute1 = Slot<NoConfig>()
    var subRoute2 = Slot<NoConfig>()
  }

  enum ViewAction: Codable { case didClose, didSelectSubRoute1, didSelectSubRoute2 }

  enum InternalAction: Equatable {
    case subRoute1(NavigationSubRoute1.Output)
    case subRoute2(NavigationSubRoute2.Output)
  }

  enum Output { case completion }
  struct ViewState: Codable, Equatable { let title: String }

  var routes: [Route<Self>] {
    [
      Route("subRoute1", \.subRoute1) { Child(NavigationSubRoute1()) { .subRoute1($0) } },
      Route("subRoute2", \.subRoute2) { Child(NavigationSubRoute2()) { .subRoute2($0) } },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .didClose: return .output(.completion)
    case .didSelectSubRoute1: state.subRoute1.attach()
    case .didSelectSubRoute2: state.subRoute2.attach()
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .subRoute1(.completion): state.subRoute1.detach()
    case .subRoute2(.completion): state.subRoute2.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(title: "Screen 2") }
}
