import RibCore

/// A row that its parent tells whether it is selected.
struct Row: Riblet {
  static let typeName = "Row"
  struct Props: Equatable {
    var isSelected: Bool
    var isLocked = false
  }
  struct State: Codable, Equatable {
    var isSelected = false
    var isOpen = false
  }
  enum ViewAction: Decodable { case tapped }
  enum Output: Equatable { case selected }

  func makeState() -> State { State() }

  func reduce(into state: inout State, props: Props) -> Effect<Self> {
    if props.isLocked { return .refuse("The row is locked.") }
    let isNew = props.isSelected && !state.isSelected
    state.isSelected = props.isSelected
    return isNew ? .output(.selected) : .none
  }

  /// What the parent tells comes first.
  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    if state.isSelected { state.isOpen = true }
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.isOpen.toggle()
    return .none
  }

  func view(_ state: State) -> State { state }
}

/// A table of one row, whose state is a part of its own.
struct Table: Riblet {
  static let typeName = "Table"
  struct State: Codable, Equatable {
    var isSelected = false
    var row = Row.State()
  }
  enum ViewAction: Decodable { case select }
  enum InternalAction: Equatable { case row(Row.Output) }

  var routes: [Route<Self>] {
    [Route("row", \.row) { Child(Row(), props: { Row.Props(isSelected: $0.isSelected) }) { .row($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.isSelected = true
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> { .none }

  func view(_ state: State) -> Bool { state.isSelected }
}

/// Remembers nothing, and repeats what it is told.
struct Parrot: Riblet {
  static let typeName = "Parrot"
  typealias Props = String
  typealias Output = String

  func reduce(into state: inout Void, props: String) -> Effect<Self> { .output(props) }
  func view(_ state: Void) -> String { "a parrot" }
}
