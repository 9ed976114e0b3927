import RibCore
import RibServer

/// Shows how long riblets take, by type and action, and which transactions were slow.
///
/// Actions are told apart only while somebody looks; slow transactions are noted always.
struct Riblets: Riblet {
  static let typeName = "Riblets"

  typealias State = Sighting<RibletReport>

  enum ViewAction: Codable {
    case refreshTapped
    case openTapped(session: String)
  }

  enum InternalAction: Equatable { case looked(Sight<RibletReport>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// Since when actions are told apart, in seconds since 1970; nil before they were looked at.
    let since: Int?
    let actions: IdentifiedArray<ActionFigures>
    let slow: IdentifiedArray<SlowTransaction>
    let problem: String?
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, service.riblets) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: look(state.onlooker)
    case .openTapped(let session): .output(.opens(session: session))
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
      since: state.value?.since, actions: IdentifiedArray(state.value?.actions ?? []),
      slow: IdentifiedArray(state.value?.slow ?? []), problem: state.problem)
  }
}
