import RibCore

/// Shows the login until somebody is logged in.
struct LoginRoot: Riblet {
  static let typeName = "LoginRoot"

  struct State: Codable, Equatable {
    var user: String?
    var login = Slot(NoConfig())
  }

  enum ViewAction: String, Codable { case logOut }
  struct ViewState: Codable, Equatable { let user: String? }

  let service: LoginService

  var routes: [Route<Self>] {
    [
      Route("login", \.login) { _ in
        Child(Login(service: service)) { state, output in
          switch output {
          case .notifyLoginSuccess(let user):
            state.user = user
            state.login.detach()
          }
          return .none
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.user = nil
    state.login.attach()
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(user: state.user) }
}
