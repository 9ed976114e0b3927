import RibCore

/// Searches a catalogue by a request that takes a while, and shows what was found, an alert, and an item's detail.
struct Search: Riblet {
  static let typeName = "Search"

  struct State: Codable, Equatable {
    var text = ""
    var results = Status<[String]>.idle
    var isAlertOpen = false
    var detail = Slot<String>()
  }

  enum ViewAction: Codable {
    case load
    case updateSearchText(String)
    case submitSearch, clearSearch
    case toggleAlert(Bool)
    case open(String)
  }

  enum InternalAction: Equatable {
    case found([String])
    case failed(String)
    case detail(SearchDetail.Output)
  }

  struct ViewState: Codable, Equatable {
    /// Text that nobody has typed or found: it is nowhere but in the view.
    struct Alert: Codable, Equatable { let title, message: String }

    let text: String
    let results: Status<[String]>
    let alert: Alert?
  }

  let service: SearchService

  var routes: [Route<Self>] {
    [Route("detail", \.detail) { item in Child(SearchDetail(item: item)) { .detail($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .load: return request("", &state)
    case .updateSearchText(let text): state.text = text
    case .submitSearch: return request(state.text, &state)
    case .clearSearch:
      state.text = ""
      state.results = .idle
      return .cancel(id: "request")
    case .toggleAlert(let isOpen): state.isAlertOpen = isOpen
    case .open(let item): state.detail.replace(with: item)
    }
    return .none
  }

  /// A new request cancels the one before: nothing of that arrives, not even its error.
  private func request(_ text: String, _ state: inout State) -> Effect<Self> {
    state.results = .loading
    return .run(id: "request", cancelInFlight: true) { [service] send in
      await send(.found(try await service.find(text)))
    } catch: { error, send in
      await send(.failed("\(error)"))
    }
  }

  /// Asks again what was asked when the session went to sleep.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    interrupted.contains(id: "request") ? request(state.text, &state) : .none
  }

  /// The text is left alone: it may have been typed on meanwhile.
  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .found(let items): state.results = .loaded(items)
    case .failed(let reason): state.results = .failed(reason)
    case .detail(.closed): state.detail.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let alert = ViewState.Alert(title: "Search", message: "You have searched for “\(state.text)”.")
    return ViewState(text: state.text, results: state.results, alert: state.isAlertOpen ? alert : nil)
  }
}
