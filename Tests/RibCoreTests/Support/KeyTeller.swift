import RibCore

/// Shows the key of its effect.
struct KeyTeller: Riblet {
  static let typeName = "KeyTeller"
  enum ViewAction: Decodable { case tell }
  enum InternalAction: Sendable { case told(String) }

  func makeState() -> String { "" }

  func reduce(into text: inout String, viewAction: ViewAction) -> Effect<Self> {
    .run { send in await send(.told(send.idempotencyKey.description)) }
  }

  func reduce(into text: inout String, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .told(let key): text = key
    }
    return .none
  }

  func view(_ text: String) -> String { text }
}
