// The riblets of the article "Boundaries".
import RibCore

struct Login: Riblet {
  static let typeName = "Login"
  struct State: Codable {
    var isBusy = false
    var problem: String?
  }
  enum ViewAction: Decodable { case loginTapped(name: String, password: Secret<String>) }
  enum InternalAction { case answered(isRight: Bool) }
  enum Output { case loggedIn }
  struct ViewState: Encodable, Equatable {
    let isBusy: Bool
    let problem: String?
  }

  let check: @Sendable (_ name: String, _ password: String) async -> Bool

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .loginTapped(let name, let password):
      guard !name.isEmpty else { return .refuse("There is no name.") }
      state.isBusy = true
      return .run(id: "login", cancelInFlight: true) { [check] send in
        await send(.answered(isRight: await check(name, password.reveal() ?? "")))
      }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    state.isBusy = false
    switch internalAction {
    case .answered(isRight: true): return .output(.loggedIn)
    case .answered(isRight: false): state.problem = "Name or password is wrong."
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isBusy: state.isBusy, problem: state.problem) }
}

struct Gate: Riblet {
  static let typeName = "Gate"
  enum Page: String, Codable { case login, welcome }
  struct State: Codable { var page = Slot(Page.login) }
  enum InternalAction { case login(Login.Output) }
  struct ViewState: Encodable, Equatable { let isOpen: Bool }

  let check: @Sendable (_ name: String, _ password: String) async -> Bool

  var routes: [Route<Self>] {
    [
      Route("page", \.page) { page in
        switch page {
        case .login: Child(Login(check: check)) { .login($0) }
        case .welcome: Child(Welcome())
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .login(.loggedIn): state.page.replace(with: .welcome)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isOpen: state.page.config == .welcome) }
}

struct Welcome: Riblet {
  static let typeName = "Welcome"
  func makeState() -> String { "Welcome!" }
  func view(_ text: String) -> String { text }
}
