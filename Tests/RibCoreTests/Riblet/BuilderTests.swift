import RibCore
import RibTesting
import Testing
import Wire

/// Children whose types their parent does not know.
struct BuilderTests {
  @Test func builder_decidesWhichRiblet() throws {
    let session = try TestSession(Shop(builder: CounterBuilder()))
    try session.send("\"open\"")
    try session.send("\"openClass\"")
    #expect(session.tree.typeName(at: .path("counters[0]")) == "StructCounter")
    #expect(session.tree.typeName(at: .path("counters[1]")) == "ClassCounter")
  }

  @Test(arguments: ["\"open\"", "\"openClass\""])
  func output_reachesTheParent(open: String) throws {
    let session = try TestSession(Shop(builder: CounterBuilder()))
    try session.send(open)
    #expect(
      try session.send("\"sell\"", to: .path("counters")) == [
        "replace /nodes/2/state 1", "replace /nodes/1/state/sold 1",
      ])
    try session.send("\"close\"", to: .path("counters"))
    #expect(try session.ids(on: "counters") == [])
  }

  @Test func class_hasAStateANode() throws {
    let session = try TestSession(Shop(builder: CounterBuilder()))
    for _ in 1...2 { try session.send("\"openClass\"") }
    try session.send("\"sell\"", to: .path("counters[1]"))
    #expect([2, 3].map { session.view["nodes"]?["\($0)"]?["state"] } == [.integer(0), .integer(1)])
  }

  @Test func class_mayHaveChildren() throws {
    let session = try TestSession(ClassShop(builder: CounterBuilder()))
    #expect(
      try session.send("\"sell\"", to: .path("counter")).sorted() == [
        "replace /nodes/1/state \"sold\"", "replace /nodes/2/state 1",
      ])
    #expect(try session.back())
    #expect(try session.ids(on: "counter") == [])
  }
}

private enum CounterOutput: Sendable { case sold, closed }

private struct CounterBuilder: Builder {
  func build(_ isClass: Bool) -> any Riblet<CounterOutput> { isClass ? ClassCounter() : StructCounter() }
}

private enum CounterAction: Decodable { case sell, close }

private struct StructCounter: Riblet {
  static let typeName = "StructCounter"
  typealias Output = CounterOutput

  func makeState() -> Int { 0 }

  func reduce(into sold: inout Int, viewAction: CounterAction) -> Effect<Self> {
    if case .close = viewAction { return .output(.closed) }
    sold += 1
    return .output(.sold)
  }

  func view(_ sold: Int) -> Int { sold }
}

private final class ClassCounter: Riblet {
  static let typeName = "ClassCounter"
  typealias Output = CounterOutput

  func makeState() -> Int { 0 }

  func reduce(into sold: inout Int, viewAction: CounterAction) -> Effect<ClassCounter> {
    if case .close = viewAction { return .output(.closed) }
    sold += 1
    return .output(.sold)
  }

  func view(_ sold: Int) -> Int { sold }
}

private struct Shop: Riblet {
  static let typeName = "Shop"
  struct State {
    var sold = 0
    var counters = Items<Bool>()
  }
  enum ViewAction: Decodable { case open, openClass }
  enum InternalAction: Sendable { case counter(CounterOutput) }
  struct ViewState: Encodable, Equatable { let sold: Int }

  let builder: any Builder<Bool, CounterOutput>

  var routes: [Route<Self>] {
    [Route("counters", \.counters) { [builder] isClass in Child(builder.build(isClass)) { .counter($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.counters.append(viewAction == .openClass)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .counter(.sold): state.sold += 1
    case .counter(.closed): state.counters.removeAll { _ in true }
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(sold: state.sold) }
}

private final class ClassShop: Riblet {
  static let typeName = "ClassShop"
  struct State {
    var mood = "new"
    var counter = Slot(true)
  }
  enum InternalAction: Sendable { case counter(CounterOutput) }

  let builder: any Builder<Bool, CounterOutput>

  init(builder: any Builder<Bool, CounterOutput>) { self.builder = builder }

  var routes: [Route<ClassShop>] {
    [Route("counter", \.counter) { [builder] isClass in Child(builder.build(isClass)) { .counter($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<ClassShop> {
    state.mood = "sold"
    return .none
  }

  func view(_ state: State) -> String { state.mood }
}
