import RibCore

/// The home tab's lowest page, from which transport is a tap away.
struct AppHome: Riblet {
  static let typeName = "AppHome"

  struct State: Codable, Equatable {}
  enum ViewAction: Codable { case transportHomeTapped }
  typealias Output = NavigationCommand<AppHomePage>
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .output(.push(.transportHome)) }
  func view(_ state: State) -> ViewState { ViewState(title: "Home") }
}
