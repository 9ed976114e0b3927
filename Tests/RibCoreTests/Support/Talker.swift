import RibCore

/// Answers itself.
struct Talker: Riblet {
  static let typeName = "Talker"
  enum ViewAction: Decodable { case go, nest }
  enum InternalAction: String, Sendable { case a = "A", b = "B", c = "C", d = "D" }
  struct ViewState: Encodable, Equatable { let last: String }

  let journal: Journal

  func makeState() -> String { "" }

  func reduce(into last: inout String, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .go:
      journal.note("go")
      return .merge(.send(.a), .send(.b))
    case .nest:
      journal.note("nest")
      return .merge(.merge([.send(.a), .merge(.none, .send(.b))]), .send(.d))
    }
  }

  func reduce(into last: inout String, internalAction: InternalAction) -> Effect<Self> {
    journal.note(internalAction.rawValue)
    last = internalAction.rawValue
    return internalAction == .a ? .send(.c) : .none
  }

  func view(_ last: String) -> ViewState { ViewState(last: last) }
}
