import RibCore

/// Shows a shared value as long as it is active.
struct Gauge: Riblet {
  static let typeName = "Gauge"
  enum InternalAction: Equatable { case changed(Int) }

  let shown: SharedValue<Int>

  func makeState() -> Int { 0 }

  func didBecomeActive(_ state: inout Int) -> Effect<Self> { .observe(shown, id: "shown") { .changed($0) } }

  func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .changed(let value): state = value
    }
    return .none
  }

  func view(_ state: Int) -> Int { state }
}
