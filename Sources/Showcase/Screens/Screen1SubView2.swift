import RibCore

/// The second view that the first screen may have.
struct Screen1SubView2: Riblet {
  static let typeName = "Screen1SubView2"

  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Screen 1, sub-view 2") }
}
