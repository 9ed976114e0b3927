import RibCore

/// How a transaction fails.
enum Wreck: String, CaseIterable, Codable {
  /// A riblet answers itself for ever.
  case spin
  /// Two riblets attach and detach in turn.
  case flip
  /// A riblet attaches one of its kind, which does the same.
  case dig
  /// A riblet attaches two of its kind, which do the same.
  case branch
  /// The root's view has no JSON.
  case root
  /// The view of a child that is new has no JSON.
  case child
  /// A riblet refuses its view action.
  case refuse
  /// A riblet refuses an internal action that it has sent itself.
  case refuseLater
  /// A riblet refuses an output of a child that is new.
  case refuseOutput
  /// A child that is new refuses as it becomes active.
  case refuseActivation

  /// What a riblet says that refuses.
  static let reason = "Not today."

  /// Whether the transaction is refused by a riblet, and not by the tree.
  var isRefusal: Bool { culprits.isEmpty }

  /// What the refusal says.
  var words: [String] {
    switch self {
    case .spin, .flip: ["did not settle"]
    case .dig: ["deeper than 1000 levels"]
    case .branch: ["more than 50000 nodes"]
    case .root: ["cannot be encoded", "measures.ratio", "nan"]
    case .child: ["cannot be encoded", "ratio", "inf"]
    case .refuse, .refuseLater, .refuseOutput, .refuseActivation: [Self.reason]
    }
  }

  /// The riblets one of which it names; none if the words are a riblet's own.
  var culprits: [String] {
    switch self {
    case .spin, .root: ["Fragile"]
    case .flip: ["Fragile", "Flipper"]
    case .dig, .branch: ["Digger"]
    case .child: ["Opaque"]
    case .refuse, .refuseLater, .refuseOutput, .refuseActivation: []
    }
  }
}

/// Changes all that a transaction can change, and then fails.
struct Fragile: Riblet {
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
    var herald = Slot<NoConfig>()
    var unwilling = Slot<NoConfig>()
  }

  enum ViewAction: Decodable { case count, load, loadWreck(Wreck), openAside, closeDetail, wreck(Wreck) }
  enum InternalAction: Sendable {
    case loaded, spin, refuse, wreck(Wreck)
    case left(Flipper.Output), right(Flipper.Output), herald(Flipper.Output)
  }

  struct ViewState: Encodable, Equatable {
    let count: Int
    let loads: Int
    let measures: Measures
  }

  private let journal = Journal()

  var routes: [Route<Self>] {
    [
      Route("detail", \.detail) { [journal] path in Child(Page(path: path, journal: journal)) { _ in nil } },
      Route("aside", \.aside) { [journal] path in Child(Page(path: path, journal: journal)) { _ in nil } },
      Route("left", \.left) { _ in Child(Flipper()) { .left($0) } },
      Route("right", \.right) { _ in Child(Flipper()) { .right($0) } },
      Route("digger", \.digger) { count in Child(Digger(count: count)) },
      Route("opaque", \.opaque) { _ in Child(Opaque()) },
      Route("herald", \.herald) { Child(Flipper()) { .herald($0) } },
      Route("unwilling", \.unwilling) { Child(Unwilling()) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .load: return .run(id: "old") { send in await send(.loaded) }
    case .loadWreck(let wreck): return .run { send in await send(.wreck(wreck)) }
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
    case .refuse, .herald: return .refuse(Wreck.reason)
    case .wreck(let wreck): return self.wreck(&state, wreck)
    case .left(.here):
      state.left.detach()
      state.right.attach(0)
    case .right(.here):
      state.right.detach()
      state.left.attach(0)
    }
    return .none
  }

  private func wreck(_ state: inout State, _ wreck: Wreck) -> Effect<Self> {
    state.count += 10
    state.detail.detach()
    state.aside.attach("x/y")
    var last = Effect<Self>.none
    switch wreck {
    case .spin: last = .send(.spin)
    case .flip: state.left.attach(0)
    case .dig: state.digger.attach(1)
    case .branch: state.digger.attach(2)
    case .root: state.measures.ratio = .nan
    case .child: state.opaque.attach(0)
    case .refuse: last = .refuse(Wreck.reason)
    case .refuseLater: last = .send(.refuse)
    case .refuseOutput: state.herald.attach()
    case .refuseActivation: state.unwilling.attach()
    }
    return .merge(.cancel(id: "old"), .run(id: "new") { _ in }, last)
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.count, loads: state.loads, measures: state.measures)
  }
}

/// Tells its parent that it is there.
struct Flipper: Riblet {
  static let typeName = "Flipper"
  enum Output: Sendable { case here }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .merge(.run { _ in }, .output(.here)) }
  func view(_ state: Void) -> ViewState { ViewState() }
}

/// Has children of its kind, always.
struct Digger: Riblet {
  static let typeName = "Digger"
  struct State { var deeper: Items<Int> }
  struct ViewState: Encodable, Equatable {}

  /// How many of its kind it attaches.
  let count: Int

  var routes: [Route<Self>] { [Route("deeper", \.deeper) { count in Child(Digger(count: count)) }] }

  func makeState() -> State { State(deeper: Items(Array(repeating: count, count: count))) }
  func view(_ state: State) -> ViewState { ViewState() }
}

/// Refuses to be there.
struct Unwilling: Riblet {
  static let typeName = "Unwilling"
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .merge(.run { _ in }, .refuse(Wreck.reason)) }
  func view(_ state: Void) -> ViewState { ViewState() }
}

/// Has nothing that JSON could show.
struct Opaque: Riblet {
  static let typeName = "Opaque"
  struct ViewState: Encodable, Equatable { let ratio: Double }

  func makeState() {}
  func view(_ state: Void) -> ViewState { ViewState(ratio: .infinity) }
}
