import RibCore

/// What covers the second screen on its first route, until it is closed.
struct NavigationSubRoute1: Riblet {
  static let typeName = "NavigationSubRoute1"

  enum ViewAction: Codable { case didClose }
  enum Output { case completion }
  struct ViewState: Codable, Equatable { let title: String }

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .output(.completion) }
  func view(_ state: Void) -> ViewState { ViewState(title: "Sub-route 1") }
}
