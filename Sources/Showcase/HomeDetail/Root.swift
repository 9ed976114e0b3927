import RibCore

/// Opens a home, and closes it when the home says that its close button was tapped.
struct Root: Riblet {
  static let typeName = "Root"

  struct State: Codable, Equatable { var home = Slot<NoConfig>() }
  enum ViewAction: Codable { case homeTapped }
  enum InternalAction: Equatable { case home(Home.Output) }
  struct ViewState: Codable, Equatable {}

  var routes: [Route<Self>] { [Route("home", \.home) { Child(Home()) { .home($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .homeTapped: state.home.attach()
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .home(.didTapClose): state.home.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
