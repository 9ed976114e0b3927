import RibCore
import RibServer

/// Shows the newest lines of the log, from a level on, and which are written.
struct Log: Riblet {
  static let typeName = "Log"

  struct State: Codable, Equatable {
    var level = LogLevel.notice
    var sighting = Sighting<LogReport>()
  }

  enum ViewAction: Codable {
    case refreshTapped
    case levelChosen(LogLevel)
    case writeTapped(LogLevel)
  }

  enum InternalAction: Equatable { case looked(Sight<LogReport>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// The lowest level that is shown.
    let level: LogLevel
    let levels: [LogLevel]
    /// The newest last.
    let lines: IdentifiedArray<LogLine>
    let problem: String?
    /// The level from which on lines are written; nil if that is not known.
    let written: WrittenLevel?
    /// The levels from which on lines can be written for a while, which are more than now; none if that cannot be chosen here.
    let choices: [LogLevel]
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .refreshTapped, .levelChosen: true
    case .writeTapped: client.mayOperate
    }
  }

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
      guard LogLevel.kept.contains(level) else { return .refuse("The server keeps no lines of this level.") }
      state.level = level
      return .none
    case .writeTapped(let level): return .output(.wants(.writeLog(from: level)))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.sighting.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let names = Set(LogLevel.kept.drop { $0 != state.level }.map(\.rawValue))
    let report = state.sighting.value
    let lines = (report?.lines ?? []).filter { names.contains($0.level) }
    return ViewState(
      level: state.level, levels: Array(LogLevel.kept), lines: IdentifiedArray(lines), problem: state.sighting.problem,
      written: report?.written, choices: service.offers(.writeLog(from: .debug)) ? choices(report?.written) : [])
  }

  private func choices(_ written: WrittenLevel?) -> [LogLevel] {
    guard let written else { return [] }
    return Array(LogLevel.allCases.prefix { $0.rawValue != written.name })
  }
}

/// The log of a program, as the inspector sees it.
struct LogReport: Equatable {
  /// The newest lines, the newest last.
  let lines: [LogLine]
  /// The level from which on lines are written; nil if that is not known.
  let written: WrittenLevel?
}
