import RibCore
import RibServer

/// Shows the settings that are in force, and where they come from.
struct Settings: Riblet {
  static let typeName = "Settings"

  typealias State = Sighting<[SettingReport]>

  enum ViewAction: Codable { case refreshTapped }
  enum InternalAction: Equatable { case looked(Sight<[SettingReport]>) }

  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    let settings: IdentifiedArray<SettingReport>
    let problem: String?
  }

  let service: InspectorService

  func makeState() -> State { State() }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  /// Looks once: settings seldom change.
  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: nil, service.settings) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: look(state.onlooker)
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(settings: IdentifiedArray(state.value ?? []), problem: state.problem)
  }
}
