import RibCore

/// Attaches a page, and a child that has it detached.
struct Closing: Riblet {
  static let typeName = "Closing"
  struct State {
    var page = Slot<String>()
    var closer = Slot<Int>()
  }
  enum ViewAction: Decodable { case open }
  enum InternalAction: Sendable { case closer(Closer.Output) }
  struct ViewState: Encodable, Equatable {}

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("page", \.page) { [journal] path in Child(Page(path: path, journal: journal)) { _ in nil } },
      Route("closer", \.closer) { _ in Child(Closer()) { .closer($0) } },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.page.attach("x/g/h")
    state.closer.attach(0)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .closer(.close): state.page.detach()
    }
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
