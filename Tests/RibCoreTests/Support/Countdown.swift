import RibCore

/// Takes as many steps as it is told.
struct Countdown: Riblet {
  static let typeName = "Countdown"
  enum ViewAction: Decodable { case from(Int) }
  enum InternalAction: Sendable { case left(Int) }

  func makeState() -> String { "new" }

  func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .from(let steps): .send(.left(steps - 1))
    }
  }

  func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .left(0): state = "done"
    case .left(let steps): return .send(.left(steps - 1))
    }
    return .none
  }

  func view(_ state: String) -> String { state }
}
