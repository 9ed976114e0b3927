import RibCore

/// Shows the login until somebody is logged in.
struct LoginRoot: Riblet {
  static let typeName = "LoginRoot"

  struct State: Codable, Equatable {
    var user: String?
    var login = Slot(NoConfig())
  }

  enum ViewAction: String, Codable { case logOut }
  enum InternalAction: Equatable { case login(Login.Output) }
  struct ViewState: Codable, Equatable { let user: String? }

  let service: LoginService

  var routes: [Route<Self>] { [Route("login", \.login) { Child(Login(service: service)) { .login($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.user = nil
    state.login.attach()
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .login(.notifyLoginSuccess(let user)):
      state.user = user
      state.login.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(user: state.user) }
}
