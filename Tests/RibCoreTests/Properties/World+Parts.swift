import RibCore

/// A part of its parent's state, with parts of its own.
struct Plot: Inhabitant {
  static let typeName = "Plot"
  typealias Output = Word
  typealias Props = Int

  struct State: Renamable {
    var id: Int
    var common = Common()
    /// How many plots may be in one another below it.
    var level = 0
    var leaf: Sprig.State?
    var plots: [Plot.State] = []
    var shelf = IdentifiedArray<Sprig.State>()
    var mood = Mood.none
    var fog = Fog.State()
    var buds = Items<Int>()
  }

  enum Mood: Codable {
    case none
    case leaf(Sprig.State)
    case fog(Fog.State)

    var leaf: Sprig.State? { if case .leaf(let leaf) = self { leaf } else { nil } }
    var fog: Fog.State? { if case .fog(let fog) = self { fog } else { nil } }
  }

  enum Change: WorldChange {
    case common(CommonChange)
    case rename(Int)
    case leaf(Int?, seed: UInt32)
    case plots(ListChange), shelf(ListChange)
    case calm, moodLeaf(seed: UInt32), moodFog(seed: UInt32)
    case fog(seed: UInt32?)
    case buds(ListChange)

    static func random(using generator: inout SeededGenerator) -> Change {
      let seed = UInt32.random(in: 0...999, using: &generator)
      let index = Int.random(in: 0...2, using: &generator)
      switch Int.random(in: 0..<16, using: &generator) {
      case 0..<5: return .common(.random(using: &generator))
      case 5: return .rename(index)
      case 6, 7: return .leaf(index == 0 ? nil : index, seed: seed)
      case 8, 9: return .plots(.random(using: &generator))
      case 10, 11: return .shelf(.random(using: &generator))
      case 12: return .calm
      case 13: return index == 0 ? .moodFog(seed: seed) : .moodLeaf(seed: seed)
      case 14: return .fog(seed: index == 0 ? nil : seed)
      default: return .buds(.random(using: &generator))
      }
    }
  }

  let notes: Notes

  var routes: [Route<Self>] {
    let notes = notes
    return [
      Route("leaf", \.leaf) { Child(Sprig(notes: notes), props: { $0.common.told }) { .word($0, from: "leaf") } },
      Route("plots", \.plots) { id in
        Child(Plot(notes: notes), props: { $0.common.count + $0.common.told + id }) { .word($0, from: "plots") }
      },
      Route("shelf", \.shelf) { id in
        Child(Sprig(notes: notes), props: { $0.shelf.index(id: id) ?? -1 }) { .word($0, from: "shelf") }
      },
      Route("moodLeaf", \.mood, extract: \.leaf, embed: { .leaf($0) }) {
        Child(Sprig(notes: notes), props: { $0.common.count }) { .word($0, from: "moodLeaf") }
      },
      Route("moodFog", \.mood, extract: \.fog, embed: { .fog($0) }) {
        Child(Fog(notes: notes)) { .word($0, from: "moodFog") }
      },
      Route("fog", \.fog) { Child(Fog(notes: notes)) { .word($0, from: "fog") } },
      Route("buds", \.buds) { id in
        Child(Pond(id: id, notes: notes), props: { $0.id }) { .word($0, from: "buds") }
      },
    ]
  }

  func makeState() -> State { State(id: 0) }
  func view(_ state: State) -> CommonView { CommonView(state.common, id: state.id) }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .rename(let id): rename(&state, to: id)
    case .leaf(let id, let seed): state.leaf = id.map { .random(seed: seed, id: $0) }
    case .plots(let change): if state.level > 0 { state.plots.make(change, notes) }
    case .shelf(let change): state.shelf.make(change, notes)
    case .calm: state.mood = .none
    case .moodLeaf(let seed): state.mood = .leaf(.random(seed: seed))
    case .moodFog(let seed): state.mood = .fog(.random(seed: seed))
    case .fog(let seed?): state.fog = .random(seed: seed)
    case .fog(nil): state.fog.leaf.common.count += 1
    case .buds(let change): state.buds.make(change, notes)
    }
    return .none
  }

  func attachUnseen(in state: inout State) -> Bool {
    var leaf = Sprig.State(id: -1)
    leaf.common.ratio = .nan
    if state.common.count % 2 == 0 { state.leaf = leaf } else { state.mood = .leaf(leaf) }
    return true
  }

  /// What is said may end what says it.
  func hear(from route: String, _ state: inout State) {
    switch route {
    case "leaf" where state.common.heard % 2 == 0: state.leaf = nil
    case "plots" where state.common.heard % 2 == 0: state.plots.removeAll()
    case "moodLeaf" where state.common.heard % 3 == 0: state.mood = .none
    default: break
    }
  }
}

/// A part of its parent's state that has none itself.
struct Sprig: Inhabitant {
  static let typeName = "Sprig"
  typealias Output = Word
  typealias Props = Int

  struct State: Renamable {
    var id: Int
    var common = Common()
  }

  enum Change: WorldChange {
    case common(CommonChange)
    case rename(Int)

    static func random(using generator: inout SeededGenerator) -> Change {
      let id = Int.random(in: 0...16, using: &generator)
      return id < 3 ? .rename(id) : .common(.random(using: &generator))
    }
  }

  let notes: Notes

  func makeState() -> State { State(id: 0) }
  func view(_ state: State) -> CommonView { CommonView(state.common, id: state.id) }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .rename(let id):
      rename(&state, to: id)
      return .none
    }
  }
}

/// A part of its parent's state that is not seen, between its parent and parts of its own.
struct Fog: Inhabitant, ViewlessRiblet {
  static let typeName = "Fog"
  typealias Output = Word
  typealias Props = Never

  struct State: Settled {
    var common = Common()
    var leaf = Sprig.State(id: 0)
    var leaves: [Sprig.State] = []
    var veil = Slot<Int>()
  }

  enum Change: WorldChange {
    case common(CommonChange)
    case leaf(seed: UInt32?)
    case leaves(ListChange)
    case attach, replace, detach

    static func random(using generator: inout SeededGenerator) -> Change {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: return .common(.random(using: &generator))
      case 2: return .leaf(seed: nil)
      case 3: return .leaf(seed: UInt32.random(in: 0...999, using: &generator))
      case 4, 5: return .leaves(.random(using: &generator))
      case 6: return Bool.random(using: &generator) ? .attach : .replace
      default: return .detach
      }
    }
  }

  let notes: Notes

  var routes: [Route<Self>] {
    let notes = notes
    return [
      Route("leaf", \.leaf) { Child(Sprig(notes: notes), props: { $0.common.count }) { .word($0, from: "leaf") } },
      Route("leaves", \.leaves) { id in
        Child(Sprig(notes: notes), props: { $0.leaf.common.count + id }) { .word($0, from: "leaves") }
      },
      Route("veil", \.veil) { depth in Child(Veil(depth: depth, notes: notes)) { .word($0, from: "veil") } },
    ]
  }

  func makeState() -> State { State() }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .leaf(let seed?): state.leaf = .random(seed: seed)
    case .leaf(nil): state.leaf.common.count += 1
    case .leaves(let change): state.leaves.make(change, notes)
    case .attach: state.veil.attach(0)
    case .replace: state.veil.replace(with: 1)
    case .detach: state.veil.detach()
    }
    return .none
  }
}

/// The state of a part that can get another id, and is another child's state then.
protocol Renamable: Settled, Identifiable where ID == Int {
  var id: Int { get set }
}

extension Inhabitant where State: Renamable {
  fileprivate func rename(_ state: inout State, to id: Int) {
    if state.id != id { notes.note("\(Self.typeName) is renamed") }
    state.id = id
  }
}

/// The states of parts, drawn from a seed.
protocol RandomPart {
  static func random(id: Int?, level: Int, using generator: inout SeededGenerator) -> Self
}

extension RandomPart {
  static func random(seed: UInt32, id: Int? = nil) -> Self {
    var generator = SeededGenerator(state: UInt64(seed))
    return random(id: id, level: 2, using: &generator)
  }
}

extension Plot.State: RandomPart {
  static func random(id: Int?, level: Int, using generator: inout SeededGenerator) -> Plot.State {
    var plot = Plot.State(id: id ?? Int.random(in: 0...2, using: &generator), level: level)
    plot.common.count = Int.random(in: 0...3, using: &generator)
    func chance() -> Bool { Int.random(in: 0..<4, using: &generator) == 0 }
    if chance() { plot.leaf = .random(id: nil, level: 0, using: &generator) }
    if level > 0, chance() {
      plot.plots = (0..<2).map { _ in .random(id: nil, level: level - 1, using: &generator) }
    }
    if chance() { plot.shelf = [.random(id: 2, level: 0, using: &generator), Sprig.State(id: 0)] }
    if chance() { plot.mood = .leaf(.random(id: nil, level: 0, using: &generator)) }
    if chance() { plot.buds.append(1) }
    return plot
  }
}

extension Sprig.State: RandomPart {
  static func random(id: Int?, level: Int, using generator: inout SeededGenerator) -> Sprig.State {
    var leaf = Sprig.State(id: id ?? Int.random(in: 0...2, using: &generator))
    leaf.common.count = Int.random(in: 0...3, using: &generator)
    return leaf
  }
}

extension Fog.State: RandomPart {
  static func random(id: Int?, level: Int, using generator: inout SeededGenerator) -> Fog.State {
    var fog = Fog.State(leaf: .random(id: nil, level: 0, using: &generator))
    if Bool.random(using: &generator) { fog.leaves = [.random(id: nil, level: 0, using: &generator)] }
    return fog
  }
}
