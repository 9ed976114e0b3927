import RibCore
import RibServer

/// Shows what processes have died of, and what is not run again.
struct Crashes: Riblet {
  static let typeName = "Crashes"

  typealias State = Sighting<CrashSummary>

  enum ViewAction: Codable {
    case refreshTapped
    case openTapped(session: String)
    case liftTapped(session: String)
  }

  enum InternalAction: Equatable { case looked(Sight<CrashSummary>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The causes of death of earlier processes; nil before they were looked at.
    let crashes: CrashSummary?
    let problem: String?
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .refreshTapped, .openTapped: true
    case .liftTapped: client.mayOperate
    }
  }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    // The store is opened for each look.
    .look(for: onlooker, every: .seconds(10), clock: clock, service.crashes) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: look(state.onlooker)
    case .openTapped(let session): .output(.opens(session: session))
    case .liftTapped(let session): .output(.wants(.lift(session: session)))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(crashes: state.value, problem: state.problem) }
}
