import RibCore

/// Signs a token for any client that asks, and shows the token.
///
/// The reducer signs, not an effect, so that a script over HTTP finds the token in the view once its action is answered. In a replay the
/// signature is another one.
struct Issuer: Riblet {
  static let typeName = "Issuer"

  struct State: Codable, Equatable {
    var token: String?
    var subject: String?
    var seconds: Int?
  }

  enum ViewAction: Codable { case sign(subject: String, roles: [String]?, seconds: Int?) }

  struct ViewState: Codable, Equatable {
    let token: String?
    let subject: String?
    /// How long the token was good for when it was signed.
    let seconds: Int?
  }

  let signer: TokenSigner
  let dependencies: Dependencies

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .sign(let subject, let roles, let seconds):
      let request = TokenRequest(
        subject: subject, roles: roles ?? [], seconds: seconds ?? TokenRequest.defaultSeconds)
      if let fault = request.fault { return .refuse(fault) }
      guard let token = try? signer.token(for: request, at: dependencies.date()) else {
        return .refuse("The key does not sign.")
      }
      state = State(token: token, subject: subject, seconds: request.seconds)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(token: state.token, subject: state.subject, seconds: state.seconds)
  }
}
