import RibCore

/// A root that has the states of all below it.
struct Census: Riblet {
  static let typeName = "Census"
  enum Phase {
    case idle
    case editing(Tally.State)
    case done(Tally.State)

    var tally: Tally.State? {
      switch self {
      case .idle: nil
      case .editing(let tally), .done(let tally): tally
      }
    }
    var edited: Tally.State? { if case .editing(let tally) = self { tally } else { nil } }
    var finished: Tally.State? { if case .done(let tally) = self { tally } else { nil } }
  }
  struct State {
    var ward = Ward.State(id: 1)
    var guest: Ward.State?
    var phase = Phase.idle
    var heard: [Int] = []

    var sum: Int { ward.sum + (guest?.sum ?? 0) + (phase.tally?.count ?? 0) }
  }
  enum InternalAction: Sendable { case ward(Ward.Output) }
  struct ViewState: Encodable, Equatable {
    let sum: Int
    let heard: [Int]
    /// Not a number if the sum is 13.
    let ratio: Double
  }
  typealias Change = (inout State) -> Void

  let state: State
  var journal = Journal()
  /// View actions: the names of changes.
  var changes: [String: Change] = [:]

  var routes: [Route<Self>] {
    [
      Route("ward", \.ward) { Child(Ward(journal: journal)) { .ward($0) } },
      Route("guest", \.guest) { Child(Ward(journal: journal)) { _ in nil } },
      Route("editing", \.phase, extract: \.edited, embed: { .editing($0) }) {
        Child(Tally(journal: journal)) { _ in nil }
      },
      Route("done", \.phase, extract: \.finished, embed: { .done($0) }) {
        Child(Tally(journal: journal)) { _ in nil }
      },
    ]
  }

  func makeState() -> State { state }

  func reduce(into state: inout State, viewAction: String) -> Effect<Self> {
    changes[viewAction]?(&state)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .ward(.heard(let id)): state.heard.append(id)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(sum: state.sum, heard: state.heard, ratio: state.sum == 13 ? .nan : 1)
  }
}
