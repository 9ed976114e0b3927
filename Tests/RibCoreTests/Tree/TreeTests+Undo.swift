import RibCore
import RibTesting
import Testing
import Wire

/// Transactions that cannot be completed.
extension TreeTests {
  @Test(arguments: Wreck.allCases)
  private func refusal_leavesEverythingAsItWas(wreck: Wreck) async throws {
    let session = try makeSession()
    let before = (nodes: session.tree.nodeCount, effects: session.tree.effectCount)
    let pending = session.pendingEffects.map(\.token)

    let refusal = try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#)
    #expect(refusal.code == .failed)
    for word in wreck.words { #expect(refusal.message.contains(word)) }
    #expect(wreck.culprits.contains { refusal.message.contains($0) }, "\(refusal.message)")

    #expect(session.tree.nodeCount == before.nodes)
    #expect(session.tree.effectCount == before.effects)
    #expect(session.pendingEffects.map(\.token) == pending)
    #expect(session.cancelledEffects == [])
    for id in 1...before.nodes { #expect(session.tree.typeName(at: .id(id)) != nil) }
    #expect(session.tree.typeName(at: .id(before.nodes + 1)) == nil)

    // Nodes, ids and effects work as if it had never been tried.
    #expect(try session.send("\"count\"") == ["replace /nodes/1/state/count 2"])
    #expect(try session.send(#"{"count":{}}"#, to: .path("detail/inner")) == ["replace /nodes/3/state/count 2"])
    try session.send("\"openAside\"")
    #expect(try session.ids(on: "aside") == [Int64(before.nodes) + 1])
    try await session.runNextEffect()
    #expect(session.property("loads") == .integer(1))
    try await session.runNextEffect()
    #expect(session.property("loads", of: 3) == .integer(1))
    #expect(session.tree.effectCount == 0)
    #expect(try session.snapshot() == session.view)
  }

  @Test(arguments: Wreck.allCases)
  private func refusal_canBeRepeated(wreck: Wreck) throws {
    let session = try makeSession()
    let first = try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#)
    #expect(try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#) == first)
    // Detaching finds the effect that the failure had stopped, and no other.
    let tokens = session.pendingEffects.map(\.token)
    try session.send("\"closeDetail\"")
    #expect(session.tree.nodeCount == 1)
    #expect(session.cancelledEffects == [tokens[1]])
    #expect(try session.refusal(of: #"{"wreck":"\#(wreck.rawValue)"}"#).code == .failed)
  }

  @Test func refusal_ofAReport_leavesItsEffectRunning() async throws {
    let session = try makeSession()
    try session.send("\"loadWreck\"")
    try await session.runNextEffect()
    try await session.runNextEffect()
    let report = try #require(try await session.reportsOfNextEffect().first)
    let before = session.view
    let refusal = try #require(throws: Refusal.self) { try session.deliver(report) }
    #expect(refusal.code == .failed)
    #expect(try session.snapshot() == before)
    #expect(session.tree.effectCount == 1)
    #expect(session.tree.droppedActions == 0)
  }

  @Test func refusal_ofAnActionThatDoesNotDecode_leavesEverythingAsItWas() throws {
    let session = try makeSession()
    #expect(try session.refusal(of: #"{"wreck":"unheard of"}"#).code == .badAction)
    #expect(try session.send("\"count\"") == ["replace /nodes/1/state/count 2"])
  }

  /// Fragile 1 with `detail` 2 and its `inner` 3; an effect of the root and one of node 3 are pending.
  private func makeSession() throws -> TestSession {
    let session = try TestSession(Fragile())
    try session.send("\"count\"")
    try session.send(#"{"count":{}}"#, to: .path("detail/inner"))
    try session.send("\"load\"")
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    return session
  }
}

/// How a transaction fails.
private enum Wreck: String, CaseIterable, Codable {
  /// A riblet answers itself for ever.
  case spin
  /// Two riblets attach and detach in turn.
  case flip
  /// A riblet attaches one of its kind, which does the same.
  case dig
  /// The root's view has no JSON.
  case root
  /// The view of a child that is new has no JSON.
  case child

  /// What the refusal says.
  var words: [String] {
    switch self {
    case .spin, .flip, .dig: ["did not settle"]
    case .root: ["cannot be encoded", "measures.ratio", "nan"]
    case .child: ["cannot be encoded", "ratio", "inf"]
    }
  }

  /// The riblets one of which it names.
  var culprits: [String] {
    switch self {
    case .spin, .root: ["Fragile"]
    case .flip: ["Fragile", "Flipper"]
    case .dig: ["Digger"]
    case .child: ["Opaque"]
    }
  }
}

/// Changes all that a transaction can change, and then fails.
private struct Fragile: Riblet {
  static let typeName = "Fragile"

  struct Measures: Encodable, Equatable { var ratio = 1.0 }

  struct State {
    var count = 0
    var loads = 0
    var measures = Measures()
    var detail = Slot("a/b")
    var aside = Slot<String>()
    var left = Slot<Int>()
    var right = Slot<Int>()
    var digger = Slot<Int>()
    var opaque = Slot<Int>()
  }

  enum ViewAction: Decodable { case count, load, loadWreck, openAside, closeDetail, wreck(Wreck) }
  enum InternalAction: Sendable { case loaded, spin, wreck(Wreck) }

  struct ViewState: Encodable, Equatable {
    let count: Int
    let loads: Int
    let measures: Measures
  }

  private let journal = Journal()

  var routes: [Route<Self>] {
    [
      Route("detail", \.detail) { [journal] path in Child(Page(path: path, journal: journal)) { _, _ in .none } },
      Route("aside", \.aside) { [journal] path in Child(Page(path: path, journal: journal)) { _, _ in .none } },
      Route("left", \.left) { _ in
        Child(Flipper()) { state, _ in
          state.left.detach()
          state.right.attach(0)
          return .none
        }
      },
      Route("right", \.right) { _ in
        Child(Flipper()) { state, _ in
          state.right.detach()
          state.left.attach(0)
          return .none
        }
      },
      Route("digger", \.digger) { _ in Child(Digger()) },
      Route("opaque", \.opaque) { _ in Child(Opaque()) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .load: return .run(id: "old") { send in await send(.loaded) }
    case .loadWreck: return .run { send in await send(.wreck(.flip)) }
    case .openAside: state.aside.attach("c")
    case .closeDetail: state.detail.detach()
    case .wreck(let wreck): return self.wreck(&state, wreck)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .loaded: state.loads += 1
    case .spin: return .send(.spin)
    case .wreck(let wreck): return self.wreck(&state, wreck)
    }
    return .none
  }

  private func wreck(_ state: inout State, _ wreck: Wreck) -> Effect<Self> {
    state.count += 10
    state.detail.detach()
    state.aside.attach("x/y")
    switch wreck {
    case .spin: break
    case .flip: state.left.attach(0)
    case .dig: state.digger.attach(0)
    case .root: state.measures.ratio = .nan
    case .child: state.opaque.attach(0)
    }
    return .merge(.cancel(id: "old"), .run(id: "new") { _ in }, wreck == .spin ? .send(.spin) : .none)
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.count, loads: state.loads, measures: state.measures)
  }
}

/// Tells its parent that it is there.
private struct Flipper: Riblet {
  static let typeName = "Flipper"
  enum Output: Sendable { case here }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .merge(.run { _ in }, .output(.here)) }
  func view(_ state: Void) -> ViewState { ViewState() }
}

/// Has a child of its kind, always.
private struct Digger: Riblet {
  static let typeName = "Digger"
  struct State { var deeper = Slot(0) }
  struct ViewState: Encodable, Equatable {}

  var routes: [Route<Self>] { [Route("deeper", \.deeper) { _ in Child(Digger()) }] }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState() }
}

/// Has nothing that JSON could show.
private struct Opaque: Riblet {
  static let typeName = "Opaque"
  struct ViewState: Encodable, Equatable { let ratio: Double }

  func makeState() {}
  func view(_ state: Void) -> ViewState { ViewState(ratio: .infinity) }
}
