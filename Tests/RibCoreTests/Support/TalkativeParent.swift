import RibCore

/// Answers each output of its child with an internal action.
struct TalkativeParent: Riblet {
  static let typeName = "TalkativeParent"
  struct State {
    var heard = ""
    var child = Slot(0)
  }
  enum InternalAction: Sendable { case answer(String) }
  struct ViewState: Encodable, Equatable { let heard: String }

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("child", \.child) { [journal] _ in
        Child(Talkative(journal: journal)) { state, output in
          switch output {
          case .said(let text):
            journal.note("parent hears \(text)")
            state.heard = text
            return .send(.answer(text))
          case .goodbye:
            state.child.detach()
            return .none
          }
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .answer(let text): journal.note("parent answers \(text)")
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard) }
}
