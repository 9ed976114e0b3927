import RibCore

/// A riblet that counts by each form that an effect may have.
struct Forms: Riblet {
  static let typeName = "Forms"
  enum ViewAction: String, Codable, CaseIterable, Sendable {
    case send, run, named, caught, after, observe, merge, concatenate, debounce, throttle, throttleRun, throttleDropped
    case nested, cancelled, refused
  }
  enum InternalAction: Codable, Sendable { case counted, refused }
  struct State: Codable, Equatable, Sendable { var count = 0 }

  func makeState() -> State { State() }

  private static let counts = Effect<Self>.run { send in await send(.counted) }
  private static let ends = Effect<Self>.run { _ in }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    let (counts, ends, clock) = (Self.counts, Self.ends, ContinuousClock())
    switch viewAction {
    case .send: return .send(.counted)
    case .run: return counts
    case .named: return .run(id: "named") { send in await send(.counted) }
    case .caught:
      return .run { _ in
        throw Lost()
      } catch: { _, send in
        await send(.counted)
      }
    case .after: return .after(.zero, id: "after", clock: clock, .counted)
    case .observe:
      let (stream, end) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<2 { end.yield(number) }
      end.finish()
      return .observe({ stream }, id: "observe") { _ in .counted }
    case .merge: return .merge(counts, ends, counts, .send(.counted))
    case .concatenate: return .concatenate(ends, .merge(counts, counts), counts, .send(.counted))
    case .debounce: return counts.debounce(id: "debounce", for: .zero, clock: clock)
    case .throttle: return .send(.counted).throttle(id: "throttle", for: .zero, clock: clock)
    case .throttleRun: return counts.throttle(id: "throttleRun", for: .zero, clock: clock)
    case .throttleDropped: return .send(.counted).throttle(id: "dropped", for: .zero, clock: clock, latest: false)
    case .nested:
      return .concatenate(
        ends, counts.throttle(id: "nested", for: .zero, clock: clock),
        counts.debounce(id: "inner", for: .zero, clock: clock))
    case .cancelled:
      return .merge(.run(id: "cancelled") { send in await send(.counted) }, .cancel(id: "cancelled"), counts)
    case .refused: return .run { send in await send(.refused) }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .counted:
      state.count += 1
      return .none
    case .refused: return .refuse("no")
    }
  }

  func view(_ state: State) -> State { state }

  private struct Lost: Error {}
}
