import RibCore

/// The first view that the first screen may have.
struct Screen1SubView1: Riblet {
  static let typeName = "Screen1SubView1"

  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable { let title: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(title: "Screen 1, sub-view 1") }
}
