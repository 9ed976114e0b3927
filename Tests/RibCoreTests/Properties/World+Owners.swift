import RibCore

/// Has a state of its own, and says when it is in front.
struct Pond: Inhabitant {
  static let typeName = "Pond"
  typealias Output = Word
  typealias Props = Int

  struct State: Settled {
    var common = Common()
    var isInFront = false
    var inner = Slot<Int>()
    var leaf: Sprig.State?
  }

  struct ViewState: Encodable, Equatable {
    let common: CommonView
    let isInFront: Bool
  }

  enum Change: WorldChange {
    case common(CommonChange)
    case attach(Int), replace(Int), detach
    case leaf(seed: UInt32?)

    static func random(using generator: inout SeededGenerator) -> Change {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<4: return .common(.random(using: &generator))
      case 4: return .attach(1)
      case 5: return .replace(2)
      case 6: return .leaf(seed: UInt32.random(in: 0...999, using: &generator))
      default: return Bool.random(using: &generator) ? .detach : .leaf(seed: nil)
      }
    }
  }

  let id: Int
  /// Whether it has no buds of its own.
  var isLast = false
  let notes: Notes

  var routes: [Route<Self>] {
    let notes = notes
    return [
      Route("inner", \.inner) { id in
        Child(Pond(id: id, isLast: true, notes: notes), props: { $0.common.told + id }) { .word($0, from: "inner") }
      },
      Route("leaf", \.leaf) { Child(Sprig(notes: notes), props: { $0.common.count }) { .word($0, from: "leaf") } },
    ]
  }

  func makeState() -> State { State() }

  func view(_ state: State) -> ViewState {
    ViewState(common: CommonView(state.common, id: id), isInFront: state.isInFront)
  }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .attach(let id): if !isLast { state.inner.attach(id) }
    case .replace(let id): if !isLast { state.inner.replace(with: id) }
    case .detach: state.inner.detach()
    case .leaf(let seed): state.leaf = seed.map { .random(seed: $0) }
    }
    return .none
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    state.isInFront = true
    return .run(id: "front", cancelInFlight: true) { _ in }
  }

  func willResignActive(_ state: inout State) {
    notes.note("Pond resigns")
    state.isInFront = false
    state.common.count += 1
  }
}

/// Has a state of its own and is not seen, between its parent and a bud, or others of its kind.
struct Veil: Inhabitant, ViewlessRiblet {
  static let typeName = "Veil"
  typealias Output = Word
  typealias Props = Never

  struct State: Settled {
    var common = Common()
    var buds = Items<Int>()
    var veil = Slot<Int>()
    var leaf = Sprig.State(id: 0)
  }

  enum Change: WorldChange {
    case common(CommonChange)
    case buds(ListChange)
    case attach, detach

    static func random(using generator: inout SeededGenerator) -> Change {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1: return .common(.random(using: &generator))
      case 2, 3: return .buds(.random(using: &generator))
      default: return Int.random(in: 0..<3, using: &generator) == 0 ? .detach : .attach
      }
    }
  }

  /// How many others may be in one another below it.
  let depth: Int
  let notes: Notes

  var routes: [Route<Self>] {
    let notes = notes
    return [
      Route("buds", \.buds) { id in
        Child(Pond(id: id, isLast: true, notes: notes), props: { $0.common.count }) { .word($0, from: "buds") }
      },
      Route("veil", \.veil) { depth in Child(Veil(depth: depth, notes: notes)) { .word($0, from: "veil") } },
      Route("leaf", \.leaf) { Child(Sprig(notes: notes), props: { $0.buds.count }) { .word($0, from: "leaf") } },
    ]
  }

  func makeState() -> State { State(buds: Items(depth > 1 ? [7] : [])) }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .buds(let change): state.buds.make(change, notes)
    case .attach: if depth > 0 { state.veil.attach(depth - 1) }
    case .detach: state.veil.detach()
    }
    return .none
  }
}
