import RibCore

/// A riblet with a name, some numbers and room for one more of its kind.
///
/// Its configuration is a path: `a/b` is the page `a` with the page `b` in its slot from the start.
struct Page: Riblet {
  static let typeName = "Page"

  struct State {
    var count = 0
    var loads = 0
    var heard = ""
    var inner: Slot<String>
  }

  enum ViewAction: Decodable {
    case count
    case open(String)
    case replace(String)
    /// Detaches what is there and attaches the new one, in one reducer.
    case reopen(String)
    case close
    case say(String)
    /// Starts an effect of that name, which reports `loaded`.
    case load(String)
    case stop(String)
  }

  enum InternalAction: Sendable {
    case loaded
    case inner(Output)
  }

  enum Output: Sendable { case said(String) }

  struct ViewState: Encodable, Equatable {
    let name: String
    let count: Int
    let loads: Int
    let heard: String
  }

  let name: String
  private let innerPath: String?
  private let journal: Journal

  init(path: String, journal: Journal) {
    let parts = path.split(separator: "/", maxSplits: 1)
    name = String(parts.first ?? "")
    innerPath = parts.count > 1 ? String(parts[1]) : nil
    self.journal = journal
  }

  var routes: [Route<Self>] {
    [
      Route("inner", \.inner) { [journal] path in Child(Page(path: path, journal: journal)) { .inner($0) } }
    ]
  }

  func makeState() -> State { State(inner: Slot(innerPath)) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+\(name)")
    return .none
  }

  func willResignActive(_ state: inout State) { journal.note("-\(name)") }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .open(let path): state.inner.attach(path)
    case .replace(let path): state.inner.replace(with: path)
    case .reopen(let path):
      state.inner.detach()
      state.inner.attach(path)
    case .close: state.inner.detach()
    case .say(let text): return .output(.said(text))
    case .load(let id): return .run(id: id) { send in await send(.loaded) }
    case .stop(let id): return .cancel(id: id)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .loaded: state.loads += 1
    case .inner(.said(let text)): state.heard = text
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(name: name, count: state.count, loads: state.loads, heard: state.heard)
  }
}
