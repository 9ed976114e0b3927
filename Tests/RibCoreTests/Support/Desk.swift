import RibCore

/// The root of the trees in these tests: room for two pages.
struct Desk: Riblet {
  static let typeName = "Desk"

  struct State {
    var count = 0
    var heard = ""
    var ratio = 1.0
    var detail: Slot<String>
    var aside = Slot<String>()
  }

  enum ViewAction: Decodable {
    case count
    case open(String)
    case replace(String)
    /// Detaches what is there and attaches the new one, in one reducer.
    case reopen(String)
    case close
    case openAside(String)
    case closeAside
    /// Changes a few things, and then the view so that JSON has no word for it.
    case fail
  }

  enum InternalAction: Sendable { case page(Page.Output) }

  struct ViewState: Encodable, Equatable {
    let count: Int
    let heard: String
    let ratio: Double
  }

  let journal: Journal
  private let detail: String?

  init(detail: String? = nil, journal: Journal = Journal()) {
    self.detail = detail
    self.journal = journal
  }

  var routes: [Route<Self>] {
    [Route("detail", \.detail, makePage), Route("aside", \.aside, makePage)]
  }

  private func makePage(path: String) -> Child<Self, OwnState> {
    Child(Page(path: path, journal: journal)) { .page($0) }
  }

  func makeState() -> State { State(detail: Slot(detail)) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+desk")
    return .none
  }

  func willResignActive(_ state: inout State) { journal.note("-desk") }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .open(let path): state.detail.attach(path)
    case .replace(let path): state.detail.replace(with: path)
    case .reopen(let path):
      state.detail.detach()
      state.detail.attach(path)
    case .close: state.detail.detach()
    case .openAside(let path): state.aside.attach(path)
    case .closeAside: state.aside.detach()
    case .fail:
      state.count += 1
      state.detail.detach()
      state.aside.replace(with: "unseen/unseen")
      state.ratio = .nan
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .page(.said(let text)): state.heard = text
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.count, heard: state.heard, ratio: state.ratio)
  }
}
