import RibCore

/// A parent whose state holds its children's, in each of the three ways: always one, one or none, any number.
struct BoundariesParent: Riblet {
  static let typeName = "Parent"

  struct State: Codable, Equatable {
    var child = BoundariesChild.State(id: 0)
    var sheet: BoundariesChild.State?
    var rows: [BoundariesChild.State] = []
    var lastRow = 0
    var finished: [String] = []
  }

  enum ViewAction: String, Codable { case showSheet, addRow }

  enum InternalAction: Equatable {
    case child(BoundariesChild.Output)
    case sheet(BoundariesChild.Output)
    case row(Int, BoundariesChild.Output)
  }

  struct ViewState: Codable, Equatable {
    /// What the children have counted, which the parent reads where it is.
    let total: Int
    let finished: [String]
  }

  var routes: [Route<Self>] {
    [
      Route("child", \.child) { Child(BoundariesChild()) { .child($0) } },
      Route("sheet", \.sheet) { Child(BoundariesChild()) { .sheet($0) } },
      Route("rows", \.rows) { id in Child(BoundariesChild()) { .row(id, $0) } },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .showSheet: state.sheet = state.sheet ?? BoundariesChild.State(id: 0)
    case .addRow:
      state.lastRow += 1
      state.rows.append(BoundariesChild.State(id: state.lastRow))
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .child(.finished(let count)): state.finished.append("child: \(count)")
    case .sheet(.finished(let count)):
      state.finished.append("sheet: \(count)")
      state.sheet = nil
    case .row(let id, .finished(let count)):
      state.finished.append("row \(id): \(count)")
      state.rows.removeAll { $0.id == id }
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let counts = [state.child.count, state.sheet?.count ?? 0] + state.rows.map(\.count)
    return ViewState(total: counts.reduce(0, +), finished: state.finished)
  }
}

/// Counts, by way of an internal action that nobody outside can send, and tells its parent what it has counted.
struct BoundariesChild: Riblet {
  static let typeName = "Child"

  struct State: Codable, Equatable, Identifiable {
    let id: Int
    var count = 0
  }

  enum ViewAction: String, Codable { case increment, finish }
  enum InternalAction: Equatable { case incremented }
  enum Output: Equatable { case finished(Int) }
  struct ViewState: Codable, Equatable { let count: Int }

  /// Never called: the parent has the state.
  func makeState() -> State { State(id: 0) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .increment: .send(.incremented)
    case .finish: .output(.finished(state.count))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .incremented: state.count &+= 1
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}
