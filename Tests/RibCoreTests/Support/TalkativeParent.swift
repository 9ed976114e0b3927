import RibCore

/// Answers each output of its child with one more internal action.
struct TalkativeParent: Riblet {
  static let typeName = "TalkativeParent"
  struct State {
    var heard = ""
    var child = Slot(0)
  }
  enum InternalAction: Sendable {
    case child(Talkative.Output)
    case answer(String)
  }
  struct ViewState: Encodable, Equatable { let heard: String }

  let journal: Journal

  var routes: [Route<Self>] {
    [Route("child", \.child) { [journal] _ in Child(Talkative(journal: journal)) { .child($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .child(.said(let text)):
      journal.note("parent hears \(text)")
      state.heard = text
      return .send(.answer(text))
    case .child(.goodbye): state.child.detach()
    case .answer(let text): journal.note("parent answers \(text)")
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard) }
}
