import RibCore

/// The settings, as a page of the profile.
struct Settings: Riblet {
  static let typeName = "Settings"

  struct ViewState: Codable, Equatable { let title: String }

  func view(_ state: Void) -> ViewState { ViewState(title: "Settings") }
}
