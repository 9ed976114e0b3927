import RibCore

/// What covers the second screen on its second route, until it is closed.
struct NavigationSubRoute2: Riblet {
  static let typeName = "NavigationSubRoute2"

  struct State: Codable, Equatable {}
  enum ViewAction: Codable { case didClose }
  enum Output { case completion }
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .output(.completion) }
  func view(_ state: State) -> ViewState { ViewState(title: "Sub-route 2") }
}
