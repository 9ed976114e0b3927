import RibCore

/// The profile's lowest page.
struct Profile: Riblet {
  static let typeName = "Profile"

  struct ViewState: Codable, Equatable { let title: String }

  func view(_ state: Void) -> ViewState { ViewState(title: "Profile") }
}
