import RibCore

/// What a page asks the container that it is in for.
enum NavigationCommand<Page: Sendable>: Sendable {
  /// Puts a page in front.
  case push(Page)
  /// Takes away the page in front, unless it is the only one.
  case pop
  /// Takes away all pages but the lowest.
  case popToRoot
  /// Takes away all pages, and puts these on top of each other.
  case setPages(Page, [Page])
}

extension NavigationCommand: Equatable where Page: Equatable {}

/// Has pages on top of each other, whatever they are: the builder knows what to build, the pages say where to go.
struct NavigationContainer<Page: Codable & Hashable & Sendable>: Riblet {
  static var typeName: String { "NavigationContainer" }

  struct State: Codable, Equatable { var pages: Stack<Page> }
  enum ViewAction: Codable { case backTapped }
  typealias InternalAction = NavigationCommand<Page>
  struct ViewState: Codable, Equatable { let canGoBack: Bool }

  let root: Page
  let builder: any Builder<Page, NavigationCommand<Page>>

  var routes: [Route<Self>] { [Route("pages", \.pages) { page in Child(builder.build(page)) { $0 } }] }

  func makeState() -> State { State(pages: Stack(root)) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .backTapped: state.pages.pop()
    }
    return .none
  }

  func reduce(into state: inout State, internalAction command: NavigationCommand<Page>) -> Effect<Self> {
    switch command {
    case .push(let page): state.pages.push(page)
    case .pop: state.pages.pop()
    case .popToRoot: state.pages.popToRoot()
    case .setPages(let lowest, let others):
      state.pages.replaceAll(with: lowest)
      for page in others { state.pages.push(page) }
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(canGoBack: state.pages.count > 1) }
}
