import RibCore

/// A riblet without a view, with room for a ``Page`` or one more of its kind.
///
/// Its configuration is a path with a dash in front: `-a` holds the page `a`, `--a` a flow that does, `-` nothing.
struct Flow: ViewlessRiblet {
  static let typeName = "Flow"
  struct State { var inner: Slot<String> }
  enum ViewAction: Decodable {
    case open(String)
    case close
  }

  private let path: String
  private let journal: Journal

  init(path: String, journal: Journal) {
    self.path = String(path.dropFirst())
    self.journal = journal
  }

  var routes: [Route<Self>] {
    [
      Route("inner", \.inner) { [journal] path in
        path.hasPrefix("-")
          ? Child(Flow(path: path, journal: journal))
          : Child(Page(path: path, journal: journal)) { _ in nil }
      }
    ]
  }

  func makeState() -> State { State(inner: path.isEmpty ? Slot() : Slot(path)) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+flow")
    return .none
  }

  func willResignActive(_ state: inout State) { journal.note("-flow") }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .open(let path): state.inner.attach(path)
    case .close: state.inner.detach()
    }
    return .none
  }
}
