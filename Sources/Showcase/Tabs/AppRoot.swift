import RibCore

/// Has three tabs: two with a navigation stack of their own, and a bare one.
struct AppRoot: Riblet {
  static let typeName = "AppRoot"

  /// A tab, in the order in which they stand.
  enum Tab: String, Codable { case appHome, financeHome, profileHome }

  struct State: Codable, Equatable { var tabs = Tabs<Tab>(.appHome, .financeHome, .profileHome) }
  enum ViewAction: Codable { case select(Int) }
  struct ViewState: Codable, Equatable { let titles: [String] }

  var routes: [Route<Self>] {
    [
      // All three are active from the start: a tab that is not in front goes on with what it does.
      Route("tabs", \.tabs, activation: .all) { tab in
        switch tab {
        case .appHome: Child(NavigationContainer(root: .appHome, builder: AppHomeBuilder()))
        case .financeHome: Child(NavigationContainer(root: .financeHome, builder: FinanceHomeBuilder()))
        case .profileHome: Child(ProfileHome())
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .select(let index): state.tabs.select(at: index)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(titles: state.tabs.configs.map(\.rawValue)) }
}
