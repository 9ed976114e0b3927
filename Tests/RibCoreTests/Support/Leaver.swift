import RibCore

/// A chain of three; each empties its slot as its last act.
struct Leaver: Riblet {
  static let typeName = "Leaver"
  struct State {
    var next: Slot<Int>
    var isLeaving = false
  }
  enum ViewAction: Decodable { case close }
  struct ViewState: Encodable, Equatable { let isLeaving: Bool }

  let depth: Int
  let journal: Journal

  var routes: [Route<Self>] {
    [Route("next", \.next) { [journal] depth in Child(Leaver(depth: depth, journal: journal)) }]
  }

  func makeState() -> State { State(next: depth < 2 ? Slot(depth + 1) : Slot()) }

  func willResignActive(_ state: inout State) {
    journal.note("-\(depth)")
    state.next.detach()
    state.isLeaving = true
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.next.detach()
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isLeaving: state.isLeaving) }
}
