import RibCore

/// The finance tab's lowest page.
struct FinanceHome: Riblet {
  static let typeName = "FinanceHome"

  struct State: Codable, Equatable {}
  typealias Output = NavigationCommand<FinanceHomePage>
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Finance") }
}
