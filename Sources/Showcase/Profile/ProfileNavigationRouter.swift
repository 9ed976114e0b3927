import RibCore

/// Where a view of the profile wants to go.
enum ProfileNavigationEvent: Codable, Equatable {
  case showSettings
  case showDetails(userId: String)
  /// Takes away the page in front, unless it is the profile itself.
  case dismiss
}

/// Navigates for all pages of the profile, none of which knows of it: a view tells the router, as in RIV.
struct ProfileNavigationRouter: Riblet {
  static let typeName = "ProfileNavigationRouter"

  /// A page, and what it is built with.
  enum Page: Codable, Hashable {
    case profile, settings
    case userDetails(userId: String)
  }

  struct State: Codable, Equatable { var pages = Stack(Page.profile) }
  typealias ViewAction = ProfileNavigationEvent
  struct ViewState: Codable, Equatable { let canDismiss: Bool }

  var routes: [Route<Self>] {
    [
      Route("pages", \.pages) { page in
        switch page {
        case .profile: Child(Profile())
        case .settings: Child(Settings())
        case .userDetails(let userId): Child(UserDetails(userId: userId))
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction event: ProfileNavigationEvent) -> Effect<Self> {
    switch event {
    case .showSettings: state.pages.push(.settings)
    case .showDetails(let userId): state.pages.push(.userDetails(userId: userId))
    case .dismiss: state.pages.pop()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(canDismiss: state.pages.count > 1) }
}
