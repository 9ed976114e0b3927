import RibCore

/// A root with one route of ``Page``s, whose container and its changes the test decides.
struct Rack<Container: RouteContainer>: Riblet where Container.Config == String {
  static var typeName: String { "Rack" }
  struct State {
    var pages: Container
    var heard = ""
    var ratio = 1.0
  }
  enum InternalAction: Sendable { case page(Page.Output) }
  struct ViewState: Encodable, Equatable {
    let heard: String
    let ratio: Double
  }
  typealias Change = (inout State) -> Void

  let pages: Container
  var activation = ActivationPolicy.all
  var journal = Journal()
  /// View actions: the names of changes.
  let changes: [String: Change]

  var routes: [Route<Self>] {
    [
      Route("pages", \.pages, activation: activation) { [journal] path in
        path.hasPrefix("-")
          ? Child(Flow(path: path, journal: journal))
          : Child(Page(path: path, journal: journal)) { .page($0) }
      }
    ]
  }

  func makeState() -> State { State(pages: pages) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+rack")
    return .none
  }

  func reduce(into state: inout State, viewAction: String) -> Effect<Self> {
    changes[viewAction]?(&state)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .page(.said(let text)): state.heard = text
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard, ratio: state.ratio) }
}
