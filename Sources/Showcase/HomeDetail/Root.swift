import RibCore

/// Opens a home, and closes it when the home says that its close button was tapped.
struct Root: Riblet {
  static let typeName = "Root"

  struct State: Codable, Equatable { var home = Slot<NoConfig>() }
  enum ViewAction: Codable { case homeTapped }
  struct ViewState: Codable, Equatable {}

  var routes: [Route<Self>] {
    [
      Route("home", \.home) { _ in
        Child(Home()) { state, output in
          switch output {
          case .didTapClose: state.home.detach()
          }
          return .none
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .homeTapped: state.home.attach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
