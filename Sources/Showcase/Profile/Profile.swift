import RibCore

/// The profile's lowest page.
struct Profile: Riblet {
  static let typeName = "Profile"

  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Profile") }
}
