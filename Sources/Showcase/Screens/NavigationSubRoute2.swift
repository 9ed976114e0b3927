import RibCore

/// What covers the second screen on its second route, until it is closed.
struct NavigationSubRoute2: Riblet {
  static let typeName = "NavigationSubRoute2"

  enum ViewAction: Codable { case didClose }
  enum Output { case completion }
  struct ViewState: Codable, Equatable { let title: String }

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .output(.completion) }
  func view(_ state: Void) -> ViewState { ViewState(title: "Sub-route 2") }
}
