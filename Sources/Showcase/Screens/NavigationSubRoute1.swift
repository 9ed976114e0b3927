import RibCore

/// What covers the second screen on its first route, until it is closed.
struct NavigationSubRoute1: Riblet {
  static let typeName = "NavigationSubRoute1"

  struct State: Codable, Equatable {}
  enum ViewAction: Codable { case didClose }
  enum Output { case completion }
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .output(.completion) }
  func view(_ state: State) -> ViewState { ViewState(title: "Sub-route 1") }
}
