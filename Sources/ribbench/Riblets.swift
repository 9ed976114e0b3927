import RibCore

/// Two fields, as small as a riblet gets.
struct BenchCounter: Riblet {
  static let typeName = "Counter"
  enum ViewAction: Decodable { case increment }
  struct ViewState: Encodable, Equatable {
    let count: Int
    let isNegative: Bool
  }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    count += 1
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(count: count, isNegative: count < 0) }
}

/// One below the other, down to a counter.
struct BenchChain: Riblet {
  static let typeName = "Chain"
  struct ViewState: Encodable, Equatable {}
  let depth: Int

  func makeState() -> Slot<Int> { Slot(depth - 1) }
  func view(_ state: Slot<Int>) -> ViewState { ViewState() }

  var routes: [Route<Self>] {
    [Route("next", \.self) { depth in depth > 0 ? Child(BenchChain(depth: depth)) : Child(BenchCounter()) }]
  }
}

/// Many counters side by side.
struct BenchRow: Riblet {
  static let typeName = "Row"
  struct ViewState: Encodable, Equatable {}
  let count: Int

  func makeState() -> Items<Int> { Items(Array(0..<count)) }
  func view(_ state: Items<Int>) -> ViewState { ViewState() }

  var routes: [Route<Self>] { [Route("items", \.self) { _ in Child(BenchCounter()) }] }
}

/// A list of many rows, of which one is toggled.
struct BenchList: Riblet {
  static let typeName = "List"

  struct Row: Encodable, Equatable, Identifiable {
    let id: Int
    var title: String
    var isDone = false
  }

  enum ViewAction: Decodable { case toggle(Int) }

  struct ViewState: Encodable, Equatable {
    let rows: [Row]
  }

  let count: Int

  func makeState() -> [Row] { (0..<count).map { Row(id: $0, title: "The title of row number \($0)") } }

  func reduce(into rows: inout [Row], viewAction: ViewAction) -> Effect<Self> {
    if case .toggle(let index) = viewAction { rows[index].isDone.toggle() }
    return .none
  }

  func view(_ rows: [Row]) -> ViewState { ViewState(rows: rows) }
}

/// A list whose rows have bytes between their properties.
struct BenchPaddedList: Riblet {
  static let typeName = "PaddedList"

  struct Row: Encodable, Equatable, Identifiable {
    let id: Int
    var isDone = false
    var title: String
  }

  struct ViewState: Encodable, Equatable {
    let rows: [Row]
  }

  let count: Int

  func makeState() -> [Row] { (0..<count).map { Row(id: $0, title: "The title of row number \($0)") } }

  func reduce(into rows: inout [Row], viewAction: BenchList.ViewAction) -> Effect<Self> {
    if case .toggle(let index) = viewAction { rows[index].isDone.toggle() }
    return .none
  }

  /// Makes every row anew, as a view does that shows less than there is.
  func view(_ rows: [Row]) -> ViewState {
    ViewState(rows: rows.map { Row(id: $0.id, isDone: $0.isDone, title: $0.title) })
  }
}

/// Counts in a part of its parent's state, which counts in a part of its own parent's, and so on.
struct BenchNest: Riblet {
  static let typeName = "Nest"

  struct State: Identifiable, Encodable {
    let id: Int
    var count = 0
    var inner: [State] = []
  }

  enum ViewAction: Decodable { case increment }
  struct ViewState: Encodable, Equatable { let count: Int }

  /// As many side by side, or one below the other.
  let width: Int
  let depth: Int

  func makeState() -> State {
    guard depth == 1 else {
      return (0..<depth).reduce(State(id: 0)) { inner, _ in State(id: 0, inner: [inner]) }
    }
    return State(id: 0, inner: (0..<width).map { State(id: $0) })
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
  var routes: [Route<Self>] { [Route("inner", \.inner) { _ in Child(self) }] }
}

/// A list of many rows with a child each; one more is put in front of them.
struct BenchLines: Riblet {
  static let typeName = "Lines"

  struct Line: Riblet {
    static let typeName = "Line"
    struct State: Identifiable, Encodable { let id: Int }
    func makeState() -> State { State(id: 0) }
    func view(_ state: State) -> Int { state.id }
  }

  struct State: Encodable {
    var last: Int
    var lines: [Line.State]
  }

  enum ViewAction: Decodable { case insert }
  struct ViewState: Encodable, Equatable { let last: Int }

  let count: Int

  func makeState() -> State { State(last: count, lines: (1...count).map { Line.State(id: $0) }) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.last += 1
    state.lines.insert(Line.State(id: state.last), at: 0)
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(last: state.last) }
  var routes: [Route<Self>] { [Route("lines", \.lines) { _ in Child(Line()) }] }
}
