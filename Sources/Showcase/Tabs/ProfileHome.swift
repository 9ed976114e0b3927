import RibCore

/// The profile tab, which has no navigation stack.
struct ProfileHome: Riblet {
  static let typeName = "ProfileHome"

  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Profile") }
}
