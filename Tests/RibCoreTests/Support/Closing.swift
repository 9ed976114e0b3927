import RibCore

/// Attaches a page, and a child that has it detached.
struct Closing: Riblet {
  static let typeName = "Closing"
  struct State {
    var page = Slot<String>()
    var closer = Slot<Int>()
  }
  enum ViewAction: Decodable { case open }
  struct ViewState: Encodable, Equatable {}

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("page", \.page) { [journal] path in Child(Page(path: path, journal: journal)) { _, _ in .none } },
      Route("closer", \.closer) { _ in
        Child(Closer()) { state, _ in
          state.page.detach()
          return .none
        }
      },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.page.attach("x/g/h")
    state.closer.attach(0)
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}

struct Closer: Riblet {
  static let typeName = "Closer"
  enum Output: Sendable { case close }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .output(.close) }
  func view(_ state: Void) -> ViewState { ViewState() }
}
