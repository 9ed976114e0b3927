import RibCore

/// Shows whom it was built for.
struct UserDetails: Riblet {
  static let typeName = "UserDetails"

  struct State: Codable, Equatable { var userId: String }
  struct ViewState: Codable, Equatable { let userId: String }

  let userId: String

  func makeState() -> State { State(userId: userId) }
  func view(_ state: State) -> ViewState { ViewState(userId: state.userId) }
}
