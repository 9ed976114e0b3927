import RibCore
import RibServer

/// Shows one session, and what happens in it as long as somebody looks.
struct SessionPage: Riblet {
  static let typeName = "Session"

  typealias State = Sighting<SessionDetail?>

  enum ViewAction: Codable {
    case closeTapped, refreshTapped
    case reconnectTapped(client: Int)
    case signOutTapped(client: Int)
    case endTapped, recordTapped, liftTapped
  }

  enum InternalAction: Equatable { case looked(Sight<SessionDetail?>) }

  enum Output: Equatable {
    case closed
    /// Another session is to be shown.
    case opens(session: String)
    /// Something is to be done, once the operator has confirmed it.
    case wants(Operation)
  }

  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The session's name.
    let id: String
    /// The session; nil if it is not in memory here, or was not looked at yet.
    let detail: SessionDetail?
    /// Whether the session was looked for, and is not in memory here.
    let isElsewhere: Bool
    let problem: String?
    /// Whether views and states of sessions are shown: each look at one is then a line of the audit.
    let showsState: Bool
    /// Whether the session can be recorded.
    let canRecord: Bool
  }

  let id: String
  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .closeTapped, .refreshTapped: true
    case .reconnectTapped, .signOutTapped, .endTapped, .recordTapped, .liftTapped: client.mayOperate
    }
  }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, { [service, id] in service.session(id, onlooker.name) }) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .closeTapped: .output(.closed)
    case .refreshTapped: look(state.onlooker)
    case .reconnectTapped(let client): .output(.wants(.reconnect(session: id, client: client)))
    case .signOutTapped(let client): .output(.wants(.signOut(session: id, client: client)))
    case .endTapped: .output(.wants(.end(session: id)))
    case .recordTapped: .output(.wants(.record(session: id)))
    case .liftTapped: .output(.wants(.lift(session: id)))
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
      id: id, detail: state.value ?? nil, isElsewhere: state.value == .some(nil), problem: state.problem,
      showsState: service.showsState(), canRecord: service.offers(.record(session: id)))
  }
}
