import RibCore

/// The second view that the first screen may have.
struct Screen1SubView2: Riblet {
  static let typeName = "Screen1SubView2"

  struct ViewState: Codable, Equatable { let title: String }

  func view(_ state: Void) -> ViewState { ViewState(title: "Screen 1, sub-view 2") }
}
