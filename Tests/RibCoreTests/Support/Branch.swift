import RibCore

/// A riblet with every kind of route.
struct Branch: Riblet {
  static let typeName = "Branch"

  struct State: Codable {
    var count = 0
    var heard = 0
    var ratio = 1.0
    var slot = Slot<Int>()
    var stack = Stack("ground")
    var tabs = Tabs("first", "second", "third")
    var items = Items<Int>()
    var leaf: Leaf.State?
    var twigs: [Twig.State] = []
    var lastTwig = 0
    var knot = Twig.State(id: 0)
    var season = Season.winter
    var hedge = Slot<String>()
    var pages = Tabs("left", "right")
  }

  enum Season: Codable {
    case winter
    case spring(Leaf.State)
    case summer(Twig.State)

    var leaf: Leaf.State? { if case .spring(let leaf) = self { leaf } else { nil } }
    var twig: Twig.State? { if case .summer(let twig) = self { twig } else { nil } }
  }

  /// Why a transaction fails after it has changed a few things.
  enum Failure: String, Decodable {
    /// JSON has no word for what is to be shown.
    case view
    /// The riblet answers itself for ever.
    case loop
    /// A child that has just been attached cannot be shown.
    case child
  }

  enum ViewAction: Decodable {
    case count
    /// Starts an effect that may not be interrupted.
    case run(String)
    case stop(String)
    case open, reopen, close
    case push, pop
    case select(Int)
    case add, remove(Int), move(Int)
    case sprout, wither
    case addTwig, removeTwig(Int), swapTwigs
    case turn(String), plant(String), clear, turnPage(Int)
    case fail(Failure)
  }
  enum InternalAction: Sendable {
    case again
    case leaf(Leaf.Output), twig(Int, Twig.Output), knot(Twig.Output), spring(Leaf.Output)
  }

  struct ViewState: Encodable, Equatable {
    let count: Int
    let heard: Int
    let ratio: Double
  }

  /// How many generations may follow.
  let depth: Int

  var routes: [Route<Self>] {
    [
      Route("slot", \.slot) { depth in Child(Branch(depth: depth)) },
      Route("stack", \.stack) { name in Child(Bud(name: name)) },
      Route("tabs", \.tabs, activation: .lazy) { name in Child(Bud(name: name)) },
      Route("items", \.items) { depth in Child(Branch(depth: depth)) },
      Route("leaf", \.leaf) { Child(Leaf()) { .leaf($0) } },
      Route("twigs", \.twigs) { id in Child(Twig()) { .twig(id, $0) } },
      Route("knot", \.knot) { Child(Twig()) { .knot($0) } },
      Route("spring", \.season, extract: \.leaf, embed: { .spring($0) }) { Child(Leaf()) { .spring($0) } },
      Route("summer", \.season, extract: \.twig, embed: { .summer($0) }) { Child(Twig()) { _ in nil } },
      Route("hedge", \.hedge) { name in Child(Hedge(name: name)) },
      Route("pages", \.pages, activation: .selectedOnly) { name in Child(Bud(name: name)) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .run(let id): return .run(id: id) { _ in }
    case .stop(let id): return .cancel(id: id)
    case .open: if depth > 0 { state.slot.attach(depth - 1) }
    case .reopen: if depth > 0 { state.slot.replace(with: depth - 1) }
    case .close: state.slot.detach()
    case .push: if state.stack.count < 4 { state.stack.push("floor") }
    case .pop: state.stack.pop()
    case .select(let index): state.tabs.select(at: index)
    case .add: if depth > 0, state.items.count < 3 { state.items.insert(depth - 1, at: 0) }
    case .remove(let index): if let key = state.items.keys.at(index) { state.items.remove(key) }
    case .move(let index): if let key = state.items.keys.first { state.items.move(key, to: index) }
    case .sprout: state.leaf = state.leaf ?? Leaf.State()
    case .wither: state.leaf = nil
    case .addTwig:
      guard state.twigs.count < 3 else { break }
      state.lastTwig += 1
      state.twigs.insert(Twig.State(id: state.lastTwig), at: 0)
    case .removeTwig(let index): if state.twigs.at(index) != nil { state.twigs.remove(at: index) }
    case .swapTwigs: state.twigs.reverse()
    case .turn("spring"): state.season = .spring(Leaf.State())
    case .turn("summer"): state.season = .summer(Twig.State(id: 0, leaf: Leaf.State()))
    case .turn: state.season = .winter
    case .plant(let name): state.hedge.replace(with: name)
    case .clear: state.hedge.detach()
    case .turnPage(let index): state.pages.select(at: index)
    case .fail(let failure): return fail(failure, &state)
    }
    return .none
  }

  private func fail(_ failure: Failure, _ state: inout State) -> Effect<Self> {
    state.count += 1
    state.slot.replace(with: 0)
    state.twigs = [Twig.State(id: -1)]
    state.season = .summer(Twig.State(id: 1))
    state.knot.count += 1
    state.hedge.replace(with: "unseen")
    state.pages.select(at: 1)
    let unseen = Effect<Self>.merge(.cancel(id: "it"), .run(id: "unseen") { _ in })
    switch failure {
    case .view: state.ratio = .nan
    case .loop: return .merge(unseen, .send(.again))
    case .child: state.twigs[0].ratio = .infinity
    }
    return unseen
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .again: return .send(.again)
    case .leaf, .knot: state.heard += 1
    case .twig(let id, _): state.heard += id
    case .spring: state.season = .winter
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.count, heard: state.heard, ratio: state.ratio)
  }
}

/// One of a list, with room for a leaf: its state is a part of its parent's.
struct Twig: Riblet {
  static let typeName = "Twig"
  struct State: Codable, Identifiable {
    let id: Int
    var count = 0
    var leaf: Leaf.State?
    var ratio = 1.0
  }
  enum ViewAction: Decodable { case count, sprout, wither, tell, fail }
  enum InternalAction: Sendable { case leaf(Leaf.Output) }
  enum Output: Sendable { case told }
  struct ViewState: Encodable, Equatable {
    let id, count: Int
    let ratio: Double
  }

  var routes: [Route<Self>] { [Route("leaf", \.leaf) { Child(Leaf()) { .leaf($0) } }] }

  func makeState() -> State { State(id: 0) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .sprout: state.leaf = state.leaf ?? Leaf.State()
    case .wither: state.leaf = nil
    case .tell: return .output(.told)
    case .fail:
      state.count += 1
      state.leaf = nil
      state.ratio = .nan
      return .output(.told)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .leaf(.told): .output(.told)
    }
  }

  func view(_ state: State) -> ViewState { ViewState(id: state.id, count: state.count, ratio: state.ratio) }
}

/// Counts in a part of its parent's state.
struct Leaf: Riblet {
  static let typeName = "Leaf"
  struct State: Codable { var count = 0 }
  enum ViewAction: Decodable { case count, tell }
  enum Output: Sendable { case told }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .tell: return .output(.told)
    }
    return .none
  }

  func view(_ state: State) -> Int { state.count }
}

/// Counts in a state of its own.
struct Bud: Riblet {
  static let typeName = "Bud"
  enum ViewAction: Decodable { case count }
  struct ViewState: Encodable, Equatable {
    let name: String
    let count: Int
  }

  let name: String

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    count += 1
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(name: name, count: count) }
}

/// Stands between its parent and a bud, or another of its kind, and is not seen.
struct Hedge: ViewlessRiblet {
  static let typeName = "Hedge"
  typealias State = Slot<String>
  enum ViewAction: Decodable {
    case plant(String), clear
  }

  let name: String

  /// `-a` holds the hedge `a`, any other name a bud.
  var routes: [Route<Self>] {
    [
      Route("inner", \.self) { name in
        name.hasPrefix("-") ? Child(Hedge(name: String(name.dropFirst()))) : Child(Bud(name: name))
      }
    ]
  }

  func makeState() -> Slot<String> { Slot(name) }

  func reduce(into state: inout Slot<String>, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .plant(let name): state.replace(with: name)
    case .clear: state.detach()
    }
    return .none
  }
}

extension Array {
  fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
