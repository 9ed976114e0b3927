import RibCore

/// Says three things at once, or its last words.
struct Talkative: Riblet {
  static let typeName = "Talkative"
  enum ViewAction: Decodable { case tell, part }
  enum InternalAction: Sendable { case followUp }
  enum Output: Sendable { case said(String), goodbye }
  struct ViewState: Encodable, Equatable {}

  let journal: Journal

  func makeState() {}

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .tell:
      journal.note("child tells")
      defer { journal.note("child is done") }
      return .merge(.output(.said("first")), .send(.followUp), .output(.said("second")))
    case .part:
      return .merge(.output(.goodbye), .output(.said("last words")))
    }
  }

  func reduce(into state: inout Void, internalAction: InternalAction) -> Effect<Self> {
    journal.note("child follows up")
    return .output(.said("third"))
  }

  func view(_ state: Void) -> ViewState { ViewState() }
}
