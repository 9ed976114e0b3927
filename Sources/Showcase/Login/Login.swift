import RibCore

/// A button that logs in: what the user taps, what the service answers and what the parent learns are three kinds of
/// actions, and only the first can come from outside.
struct Login: Riblet {
  static let typeName = "Login"

  struct State: Codable, Equatable {
    var attempts = 0
    var isLoading = false
    var error: String?
  }

  enum ViewAction: String, Codable { case onTapLoginButton }
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
    state.attempts += 1
    state.isLoading = true
    state.error = nil
    return login(state.attempts)
  }

  private func login(_ attempt: Int) -> Effect<Self> {
    .run(id: "login") { [service] send in await send(.loginResult(service.login(attempt))) }
  }

  /// Asks again what was asked when the session went to sleep.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    interrupted.contains(id: "login") ? login(state.attempts) : .none
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
