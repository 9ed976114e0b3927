import RibCore
import RibServer

/// Lists sessions: those that come first in some order, of those that are looked for.
struct Sessions: Riblet {
  static let typeName = "Sessions"

  struct State: Codable, Equatable {
    var query = SessionSearch()
    var sighting = Sighting<SessionList>()
  }

  enum ViewAction: Codable {
    /// By this figure; the other way round if the sessions are ordered by it already.
    case orderTapped(SessionSearch.Order)
    /// Of an app; of all with an empty text.
    case appChosen(String)
    /// A part of the person's subject, or the beginning of the session's id.
    case textChanged(String)
    /// How many sessions are shown.
    case countChosen(Int)
    case openTapped(id: String)
    case refreshTapped
  }

  enum InternalAction: Equatable { case looked(Sight<SessionList>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    let query: SessionSearch
    /// The figures by which sessions can be ordered.
    let orders: [SessionSearch.Order]
    /// The apps that the server has.
    let apps: [String]
    let rows: IdentifiedArray<ListedSession>
    /// How many sessions are what was looked for, of which the first are shown; nil before they were looked at.
    let matchCount: Int?
    /// How many sessions were looked at.
    let totalCount: Int?
    let problem: String?
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.sighting.onlooker = onlooker
    return look(state)
  }

  private func look(_ state: State) -> Effect<Self> {
    .look(for: state.sighting.onlooker, clock: clock, { [service, query = state.query] in service.sessions(query) }) {
      .looked($0)
    }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    var query = state.query
    switch viewAction {
    case .orderTapped(let order):
      query.isReversed = order == query.order && !query.isReversed
      query.order = order
    case .appChosen(let app):
      guard app.isEmpty || service.apps.contains(app) else { return .refuse("There is no app \"\(app)\".") }
      query.app = app.isEmpty ? nil : app
    case .textChanged(let text):
      guard text.utf8.count <= 256 else { return .refuse("A search text has 256 bytes at most.") }
      query.text = text
    case .countChosen(let count): query.count = min(max(count, 1), SessionSearch.limit)
    case .openTapped(let id): return .output(.opens(session: id))
    case .refreshTapped: break
    }
    state.query = query
    return look(state)
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.sighting.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let list = state.sighting.value
    return ViewState(
      query: state.query, orders: SessionSearch.Order.allCases, apps: service.apps,
      rows: IdentifiedArray(list?.rows ?? []), matchCount: list?.matchCount, totalCount: list?.totalCount,
      problem: state.sighting.problem)
  }
}
