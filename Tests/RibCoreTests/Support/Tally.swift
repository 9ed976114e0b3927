import RibCore

/// Counts, in a state that is a part of its parent's.
struct Tally: Riblet {
  static let typeName = "Tally"
  struct State: Identifiable, Equatable {
    var id: Int
    var count = 0
  }
  enum ViewAction: Decodable {
    case count
    case rename(Int)
    case say
    /// Asks to be let go, and then counts.
    case leaveAndCount
    case load
  }
  enum InternalAction: Sendable { case counted }
  enum Output: Sendable { case said, leave }
  struct ViewState: Encodable, Equatable {
    let id: Int
    let count: Int
    /// Not a number if the count is below zero.
    var ratio: Double?
  }

  let journal: Journal

  /// Never called, for the parent has the state.
  func makeState() -> State { State(id: -1) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+tally \(state.id)")
    return .none
  }

  func willResignActive(_ state: inout State) { journal.note("-tally \(state.id)") }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .rename(let id): state.id = id
    case .say: return .output(.said)
    case .leaveAndCount: return .merge(.output(.leave), .send(.counted))
    case .load: return .run { send in await send(.counted) }
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    state.count += 1
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(id: state.id, count: state.count, ratio: state.count < 0 ? .nan : nil)
  }
}
