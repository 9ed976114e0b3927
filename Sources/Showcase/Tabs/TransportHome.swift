import RibCore

/// The page on top of the home tab's lowest, which asks to be left.
struct TransportHome: Riblet {
  static let typeName = "TransportHome"

  struct State: Codable, Equatable {}
  enum ViewAction: Codable { case closeTapped }
  typealias Output = NavigationCommand<AppHomePage>
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .output(.pop) }
  func view(_ state: State) -> ViewState { ViewState(title: "Transport") }
}
