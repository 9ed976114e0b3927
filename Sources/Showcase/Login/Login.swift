import RibCore

/// A button that logs in: what the user taps, what the service answers and what the parent learns are three kinds of
/// actions, and only the first can come from outside.
///
/// A password goes from the action to the effect, and nowhere else. So a sign-in that was interrupted cannot be repeated.
struct Login: Riblet {
  static let typeName = "Login"

  struct State: Codable, Equatable {
    var attempts = 0
    var isLoading = false
    var error: String?
  }

  enum ViewAction: Decodable, Equatable {
    case onTapLoginButton
    case signInTapped(name: String, password: Secret<String>)
  }
  enum InternalAction: Sendable { case loginResult(Result<String, LoginService.Failure>) }
  enum Output: Equatable { case notifyLoginSuccess(String) }

  struct ViewState: Codable, Equatable {
    let isLoading: Bool
    let error: String?
  }

  let service: LoginService

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    guard !state.isLoading else { return .none }
    state.isLoading = true
    state.error = nil
    switch viewAction {
    case .onTapLoginButton:
      state.attempts += 1
      return login(state.attempts)
    case .signInTapped(let name, let password):
      return .run(id: "sign in") { [service] send in
        await send(.loginResult(service.signIn(name, password.reveal() ?? "")))
      }
    }
  }

  private func login(_ attempt: Int) -> Effect<Self> {
    .run(id: "login") { [service] send in await send(.loginResult(service.login(attempt))) }
  }

  /// Repeats a login that was interrupted when the session went to sleep, but not a sign-in: its password is gone.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    if interrupted.contains(id: "sign in") {
      state.isLoading = false
      state.error = "That was interrupted. Enter the password again."
    }
    return interrupted.contains(id: "login") ? login(state.attempts) : .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    guard case .loginResult(let result) = internalAction else { return .none }
    state.isLoading = false
    switch result {
    case .success(let user): return .output(.notifyLoginSuccess(user))
    case .failure(let failure): state.error = failure.reason
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isLoading: state.isLoading, error: state.error) }
}
