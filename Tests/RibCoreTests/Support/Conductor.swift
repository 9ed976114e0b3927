import RibCore
import RibTesting

/// Returns the effects that it is told, and writes down what they report.
struct Conductor: Riblet {
  static let typeName = "Conductor"

  indirect enum Plan: Decodable, Sendable {
    /// Runs under a name, and reports it.
    case run(String)
    case restart(String)
    /// Runs under a name, and may be interrupted.
    case resume(String)
    /// Runs without a name.
    case runUnnamed
    case breakDown(String)
    case send(String)
    /// Sends what cannot be shown.
    case sendFailure
    case cancel(String)
    case merge([Plan])
    case sequence([Plan])
    /// Waits a second for others.
    case debounce(Plan)
    /// At most once a second, the last at the end.
    case throttle(Plan)
    /// At most once a second, without those held back.
    case throttleFirst(Plan)
    /// Reports what a sequence of elements has.
    case observe([String])
  }

  enum ViewAction: Decodable {
    case carryOut([Plan])
    case note(String)
    /// Changes the view so that JSON has no word for it.
    case fail
  }

  enum InternalAction: Sendable {
    case note(String)
    case fail
  }

  struct State: Codable {
    var log: [String] = []
    var ratio = 1.0
  }

  struct ViewState: Encodable, Equatable {
    let log: [String]
    let ratio: Double
  }

  struct Breakdown: Error {}

  var clock = ManualClock()
  /// What it does when it becomes active, and when it comes back.
  var whenActive: [Plan] = []
  var whenRestored: [Plan] = []

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> { .merge(whenActive.map(effect)) }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    state.log.append("back from " + interrupted.map { $0.id ?? "?" }.joined(separator: ","))
    if interrupted.contains(id: "song") { state.log.append("the song was interrupted") }
    return .merge(whenRestored.map(effect))
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .carryOut(let plans): return .merge(plans.map(effect))
    case .note(let text): state.log.append(text)
    case .fail:
      state.log.append("unseen")
      state.ratio = .nan
      return .merge(.cancel(id: "a"), .run(id: "unseen") { _ in })
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .note(let text): state.log.append(text)
    case .fail: state.ratio = .nan
    }
    return .none
  }

  func effect(_ plan: Plan) -> Effect<Self> {
    switch plan {
    case .run(let name): .run(id: name) { send in await send(.note(name)) }
    case .restart(let name): .run(id: name, cancelInFlight: true) { send in await send(.note(name)) }
    case .resume(let name): .run(id: name, resumable: true) { send in await send(.note(name)) }
    case .runUnnamed: .run { _ in }
    case .breakDown(let name): .run(id: name) { _ in throw Breakdown() }
    case .send(let text): .send(.note(text))
    case .sendFailure: .send(.fail)
    case .cancel(let name): .cancel(id: name)
    case .merge(let plans): .merge(plans.map(effect))
    case .sequence(let plans): .concatenate(plans.map(effect))
    case .debounce(let plan): effect(plan).debounce(id: "wait", for: .seconds(1), clock: clock)
    case .throttle(let plan): effect(plan).throttle(id: "held", for: .seconds(1), clock: clock)
    case .throttleFirst(let plan): effect(plan).throttle(id: "first", for: .seconds(1), clock: clock, latest: false)
    case .observe(let elements):
      .observe(
        {
          AsyncStream { sink in
            for element in elements { sink.yield(element) }
            sink.finish()
          }
        }, id: "stream"
      ) { .note($0) }
    }
  }

  func view(_ state: State) -> ViewState { ViewState(log: state.log, ratio: state.ratio) }
}
