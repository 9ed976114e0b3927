import RibCore
import RibServer

/// Shows how the server is.
struct Overview: Riblet {
  static let typeName = "Overview"

  typealias State = Sighting<ServerOverview>

  enum ViewAction: Codable { case refreshTapped, drainTapped, reloadTapped }
  enum InternalAction: Equatable { case looked(Sight<ServerOverview>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The server; nil before it was looked at.
    let overview: ServerOverview?
    let problem: String?
    /// Whether the server can be told to stop here.
    let canDrain: Bool
    /// Whether its settings can be read again.
    let canReload: Bool
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .refreshTapped: true
    case .drainTapped, .reloadTapped: client.mayOperate
    }
  }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, service.overview) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: look(state.onlooker)
    case .drainTapped: .output(.wants(.drain))
    case .reloadTapped: .output(.wants(.reload))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      overview: state.value, problem: state.problem, canDrain: service.offers(.drain),
      canReload: service.offers(.reload))
  }
}
