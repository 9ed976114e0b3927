import RibCore

/// The settings, as a page of the profile.
struct Settings: Riblet {
  static let typeName = "Settings"

  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Settings") }
}
