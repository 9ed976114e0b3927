import RibCore

/// Has nothing that JSON could show.
struct Broken: Riblet {
  static let typeName = "Broken"
  struct ViewState: Encodable, Equatable { let ratio: Double }

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .run { _ in } }
  func view(_ state: Void) -> ViewState { ViewState(ratio: .infinity) }
}
