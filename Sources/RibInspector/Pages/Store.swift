import RibCore
import RibServer

/// Shows the session store.
struct Store: Riblet {
  static let typeName = "Store"

  typealias State = Sighting<StoreReport>

  enum ViewAction: Codable { case refreshTapped, backUpTapped }
  enum InternalAction: Equatable { case looked(Sight<StoreReport>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The store; nil before it was looked at.
    let store: StoreReport?
    let problem: String?
    /// Whether the store can be backed up from here.
    let canBackUp: Bool
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .refreshTapped: true
    case .backUpTapped: client.mayOperate
    }
  }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, service.store) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: look(state.onlooker)
    case .backUpTapped: .output(.wants(.backUp))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(store: state.value, problem: state.problem, canBackUp: service.offers(.backUp))
  }
}
