import RibCore

/// The first view that the first screen may have.
struct Screen1SubView1: Riblet {
  static let typeName = "Screen1SubView1"

  struct ViewState: Codable, Equatable { let title: String }

  func view(_ state: Void) -> ViewState { ViewState(title: "Screen 1, sub-view 1") }
}
