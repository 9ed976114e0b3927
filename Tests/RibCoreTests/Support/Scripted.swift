import RibCore

/// A riblet whose state, changes and routes the test writes.
struct Scripted<S: Sendable>: Riblet {
  static var typeName: String { "Scripted" }
  typealias State = S
  typealias Change = (inout S) -> Void
  /// What an output of a child does, as its route has it.
  enum InternalAction: Sendable { case change(@Sendable (inout S) -> Void) }

  let state: S
  var routes: [Route<Self>] = []
  /// View actions: the names of changes.
  var changes: [String: Change] = [:]

  func makeState() -> S { state }

  func reduce(into state: inout S, viewAction: String) -> Effect<Self> {
    changes[viewAction]?(&state)
    return .none
  }

  func reduce(into state: inout S, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .change(let change): change(&state)
    }
    return .none
  }

  func view(_ state: S) -> Int { 0 }
}

/// Counts in a part of its parent's state, and has room for a bud.
struct Part: Riblet {
  static let typeName = "Part"
  struct State: Identifiable {
    var id = 0
    var count = 0
    var inner = Slot<String>()
  }
  enum ViewAction: Decodable { case count, open, rename(Int) }

  var routes: [Route<Self>] { [Route("inner", \.inner) { Child(Bud(name: $0)) }] }

  /// Never called, for the parent has the state.
  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .open: state.inner.attach("inner")
    case .rename(let id): state.id = id
    }
    return .none
  }

  func view(_ state: State) -> Int { state.count }
}

/// A part of its parent's state with a part of its own.
struct Middle: Riblet {
  static let typeName = "Middle"
  struct State: Identifiable {
    var part: Part.State? = Part.State()
    var slot = Slot<String>()
    var id: Int { part?.count ?? -1 }
  }

  var routes: [Route<Self>] {
    [Route("part", \.part) { Child(Part()) }, Route("slot", \.slot) { Child(Bud(name: $0)) }]
  }

  /// Never called, for the parent has the state.
  func makeState() -> State { State() }
  func view(_ state: State) -> Int { state.part?.count ?? -1 }
}

/// A part that takes note of who asks for its id.
struct Member: Riblet {
  static let typeName = "Member"
  struct State: Identifiable {
    let number: Int
    var count = 0
    let journal: Journal

    var id: Int {
      journal.note("id")
      return number
    }
  }
  enum ViewAction: Decodable { case count }

  /// Never called, for the parent has the state.
  func makeState() -> State { State(number: -1, journal: Journal()) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    return .none
  }

  func view(_ state: State) -> Int { state.count }
}
