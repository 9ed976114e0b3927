import RibCore
import RibServer

/// Shows the newest lines of the log, from a level on.
struct Log: Riblet {
  static let typeName = "Log"

  struct State: Codable, Equatable {
    var level = Level.notice
    var sighting = Sighting<[LogLine]>()
  }

  /// The levels of which lines are kept.
  enum Level: String, Codable, CaseIterable {
    case notice, warning, error, critical
  }

  enum ViewAction: Codable {
    case refreshTapped
    case levelChosen(Level)
  }

  enum InternalAction: Equatable { case looked(Sight<[LogLine]>) }

  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The lowest level that is shown.
    let level: Level
    let levels: [Level]
    /// The newest last.
    let lines: IdentifiedArray<LogLine>
    let problem: String?
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.sighting.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, service.log) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: return look(state.sighting.onlooker)
    case .levelChosen(let level):
      state.level = level
      return .none
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.sighting.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let names = Set(Level.allCases.drop { $0 != state.level }.map(\.rawValue))
    let lines = (state.sighting.value ?? []).filter { names.contains($0.level) }
    return ViewState(
      level: state.level, levels: Level.allCases, lines: IdentifiedArray(lines), problem: state.sighting.problem)
  }
}
