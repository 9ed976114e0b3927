import RibCore

struct Stopwatch: Riblet {
  static let typeName = "Stopwatch"

  struct State: Equatable, Codable {
    var seconds = 0
    var isRunning = false
    var note = ""
  }

  enum ViewAction: Decodable, Sendable {
    case start, stop, reset
    /// Answers itself, and then its parent.
    case lap
    /// Takes a note once nothing was typed for a while.
    case type(String)
    /// Returns an effect that throws.
    case breakDown
    /// Waits for something that no test controls.
    case wander
    /// Waits for that, or for ten seconds.
    case race
    /// Says when it has begun, and when what it waits for has come.
    case report
    /// Looks again and again whether it was cancelled.
    case poll
    /// Sends without end, and goes on when it is cancelled.
    case babble
    /// Sends from a task of its own, on another executor.
    case shout
    /// Tells what is written to a stream.
    case listen
    /// Waits, and then takes a note.
    case later(String)
    /// Changes the view so that JSON has no word for it, after it has sent something.
    case stumble
  }

  enum InternalAction: Sendable, Equatable {
    case ticked
    case lapped(Int)
    case noted(String)
  }

  enum Output: Sendable, Equatable { case lap(Int) }

  struct ViewState: Encodable, Equatable {
    let text: String
    var ratio: Double?
  }

  struct Breakdown: Error {}

  let clock: any Clock<Duration>
  var gate = Gate()
  /// What `listen` tells.
  var stream = AsyncStream<String> { $0.finish() }
  var startsAtOnce = false

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    guard startsAtOnce else { return .none }
    state.isRunning = true
    return ticking
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .start:
      guard !state.isRunning else { return .none }
      state.isRunning = true
      return ticking
    case .stop:
      state.isRunning = false
      return .cancel(id: "ticking")
    case .reset:
      state.seconds = 0
      return .none
    case .lap: return .send(.lapped(state.seconds))
    case .type(let text):
      return .run(id: "typing", cancelInFlight: true) { [clock] send in
        try await clock.sleep(for: .milliseconds(300))
        await send(.noted(text))
      }
    case .breakDown: return .run(id: "breakdown") { _ in throw Breakdown() }
    case .wander:
      return .run(id: "wandering") { [gate] send in
        await gate.wait()
        await send(.ticked)
      }
    case .race:
      return .run(id: "race") { [gate, clock] send in
        try await withThrowingTaskGroup { group in
          group.addTask { await gate.wait() }
          group.addTask { try await clock.sleep(for: .seconds(10)) }
          try await group.next()
          group.cancelAll()
        }
        await send(.ticked)
      }
    case .report:
      return .run(id: "report") { [gate] send in
        await send(.noted("begun"))
        await gate.wait()
        await send(.noted("done"))
      }
    case .poll: return .run(id: "poll") { _ in while !Task.isCancelled { await Task.yield() } }
    // Far beyond any limit: who goes on for ever would keep a thread that other tests need.
    case .babble: return .run(id: "babble") { send in for _ in 0..<100_000 { await send(.ticked) } }
    case .shout: return .run(id: "shout") { send in await Task.detached { await send(.ticked) }.value }
    case .listen:
      return .run(id: "listen") { [stream] send in for await text in stream { await send(.noted(text)) } }
    case .later(let text):
      return .send(.noted(text)).debounce(id: "later", for: .seconds(1), clock: clock)
    case .stumble: return .run(id: "stumble") { send in await send(.noted("NaN")) }
    }
  }

  private var ticking: Effect<Self> {
    .run(id: "ticking") { [clock] send in
      while true {
        try await clock.sleep(for: .seconds(1))
        await send(.ticked)
      }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .ticked: state.seconds += 1
    case .lapped(let seconds): return .output(.lap(seconds))
    case .noted("NaN"):
      state.note = "NaN"
      return .send(.lapped(0))
    case .noted(let text): state.note = text
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      text: "\(state.seconds) s\(state.isRunning ? "" : ", stopped")", ratio: state.note == "NaN" ? .nan : nil)
  }
}
