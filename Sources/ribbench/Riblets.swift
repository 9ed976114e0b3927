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
