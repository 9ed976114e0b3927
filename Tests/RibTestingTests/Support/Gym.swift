import RibCore

struct Gym: Riblet {
  static let typeName = "Gym"

  struct State: Equatable, Codable {
    var watch = Slot<Int>()
    var laps: [Int] = []
    var lamp = Lamp.State()
  }

  enum ViewAction: Decodable, Sendable { case open, lightUp }
  enum InternalAction: Equatable { case watch(Stopwatch.Output) }

  let clock: any Clock<Duration>

  var routes: [Route<Self>] {
    [
      Route("watch", \.watch) { _ in Child(Stopwatch(clock: clock)) { .watch($0) } },
      Route("lamp", \.lamp) { Child(Lamp(clock: clock)) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .open: state.watch.attach(1)
    case .lightUp: state.lamp.isOn = true
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .watch(.lap(let seconds)): state.laps.append(seconds)
    }
    return .none
  }

  func view(_ state: State) -> Int { state.laps.count }
}

struct Lamp: Riblet {
  static let typeName = "Lamp"
  struct State: Equatable, Codable { var isOn = false }
  enum ViewAction: Decodable, Sendable { case toggle, flash }

  let clock: any Clock<Duration>

  /// Never called, for the parent has the state.
  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .toggle:
      state.isOn.toggle()
      return .none
    case .flash: return .run(id: "flashing") { [clock] _ in try await clock.sleep(for: .seconds(1)) }
    }
  }

  func view(_ state: State) -> Bool { state.isOn }
}
