// The riblets of the article "The life cycle".
import RibCore

struct Home: Riblet {
  static let typeName = "Home"
  enum Tab: String, Codable { case news, search, settings }
  struct State: Codable { var tabs = Tabs(configs: Home.tabs) }
  enum ViewAction: Decodable { case tabTapped(Int) }
  struct ViewState: Encodable, Equatable { let titles: [String] }

  /// The tabs of this version, new ones last: a tab is known by its place.
  static let tabs: [Tab] = [.news, .search, .settings]

  var routes: [Route<Self>] { [Route("tabs", \.tabs) { tab in Child(Page(title: tab.rawValue)) }] }

  func makeState() -> State { State() }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    state.tabs = Tabs(configs: Self.tabs, selected: min(state.tabs.index, Self.tabs.count - 1))
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .tabTapped(let index): state.tabs.select(at: index)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(titles: state.tabs.configs.map(\.rawValue)) }
}

struct Page: Riblet {
  static let typeName = "Page"
  struct ViewState: Encodable, Equatable { let title: String }

  let title: String

  func makeState() -> Int { 0 }

  func view(_ state: Int) -> ViewState { ViewState(title: title) }
}
