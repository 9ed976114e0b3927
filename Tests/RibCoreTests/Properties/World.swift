import RibCore

/// A riblet with every kind of route, to children that have such routes themselves: the root of random trees.
struct World: Inhabitant {
  static let typeName = "World"
  typealias Output = Never
  typealias Props = Never

  struct State: Settled {
    var common = Common()
    /// The plot whose id is this is told so.
    var selected = 0
    var land = Plot.State(id: 0)
    private var hidden = Plot.State(id: 1)
    /// The same by way of a computed property.
    var mirrored: Plot.State {
      get { hidden }
      set { hidden = newValue }
    }
    var guest: Plot.State?
    var fog: Fog.State?
    var haze = Fog.State()
    var weather = Weather.calm
    var list: [Plot.State] = []
    var shelf = IdentifiedArray<Plot.State>()
    var slot = Slot<Int>()
    var stack = Stack(0)
    var tabs = Tabs<UInt8>(0, 1, 2)
    var pages = Tabs<UInt8>(0, 1)
    var items = Items<Int>()
    var veils = Items<Int>()
    var curtain = Tabs<UInt8>(1, 2)
  }

  /// Some of its cases have the states of children.
  enum Weather: Codable {
    case calm
    case sun(Plot.State)
    case rain(Sprig.State)

    var sun: Plot.State? { if case .sun(let plot) = self { plot } else { nil } }
    var rain: Sprig.State? { if case .rain(let leaf) = self { leaf } else { nil } }

    /// A leaf that has counted so far comes into the sun.
    static func embed(_ leaf: Sprig.State) -> Weather {
      leaf.common.count % 4 == 3 ? .sun(Plot.State(id: leaf.id)) : .rain(leaf)
    }
  }

  /// How many worlds may be in one another below it.
  let depth: Int
  /// What the first state is drawn from.
  let seed: UInt64
  let notes: Notes

  var routes: [Route<Self>] {
    let notes = notes
    return [
      Route("land", \.land) { Child(Plot(notes: notes), props: { $0.common.count }) { .word($0, from: "land") } },
      Route("mirrored", \.mirrored) {
        Child(Plot(notes: notes), props: { $0.list.count }) { .word($0, from: "mirrored") }
      },
      Route("guest", \.guest) {
        Child(Plot(notes: notes), props: { $0.guest?.id ?? -1 }) { .word($0, from: "guest") }
      },
      Route("fog", \.fog) { Child(Fog(notes: notes)) { .word($0, from: "fog") } },
      Route("haze", \.haze) { Child(Fog(notes: notes)) { .word($0, from: "haze") } },
      Route("sun", \.weather, extract: \.sun, embed: { .sun($0) }) {
        Child(Plot(notes: notes), props: { $0.selected }) { .word($0, from: "sun") }
      },
      Route("rain", \.weather, extract: \.rain, embed: Weather.embed) {
        Child(Sprig(notes: notes), props: { $0.selected }) { .word($0, from: "rain") }
      },
      Route("list", \.list) { id in
        Child(Plot(notes: notes), props: { $0.selected == id ? 1 : 0 }) { .word($0, from: "list") }
      },
      Route("shelf", \.shelf) { id in
        Child(Plot(notes: notes), props: { $0.selected == id ? 1 : 0 }) { .word($0, from: "shelf") }
      },
      Route("slot", \.slot) { [depth] seed in Child(World(depth: depth - 1, seed: UInt64(seed), notes: notes)) },
      Route("stack", \.stack, activation: .selectedOnly) { id in
        Child(Pond(id: id, notes: notes), props: { $0.stack.count }) { .word($0, from: "stack") }
      },
      Route("tabs", \.tabs, activation: .lazy) { id in
        Child(Pond(id: Int(id), notes: notes), props: { $0.tabs.index }) { .word($0, from: "tabs") }
      },
      Route("pages", \.pages, activation: .selectedOnly) { id in
        Child(Pond(id: Int(id), notes: notes), props: { $0.pages.index }) { .word($0, from: "pages") }
      },
      Route("items", \.items) { id in
        Child(Pond(id: id, notes: notes), props: { $0.common.count }) { .word($0, from: "items") }
      },
      Route("veils", \.veils) { depth in Child(Veil(depth: depth % 3, notes: notes)) { .word($0, from: "veils") } },
      Route("curtain", \.curtain, activation: .selectedOnly) { depth in
        Child(Veil(depth: Int(depth), notes: notes)) { .word($0, from: "curtain") }
      },
    ]
  }

  func makeState() -> State {
    var generator = SeededGenerator(state: seed)
    var state = State()
    for _ in 0..<Int.random(in: 5...15, using: &generator) {
      _ = make(.random(using: &generator), in: &state)
    }
    return state
  }

  func view(_ state: State) -> CommonView { CommonView(state.common, id: state.selected) }

  func attachUnseen(in state: inout State) -> Bool {
    var plot = Plot.State(id: -1)
    plot.common.ratio = .infinity
    switch state.common.count % 3 {
    case 0: state.list.insert(plot, at: 0)
    case 1: state.weather = .sun(plot)
    default: state.haze.leaves.insert(Sprig.State(id: -1, common: plot.common), at: 0)
    }
    return true
  }

  /// What is said may end what says it.
  func hear(from route: String, _ state: inout State) {
    switch route {
    case "rain" where state.common.heard % 2 == 0: state.weather = .calm
    case "guest" where state.common.heard % 2 == 0: state.guest = nil
    case "list" where state.common.heard % 3 == 0: _ = state.list.popLast()
    case "pages": state.pages.select(at: 1 - state.pages.index)
    default: break
    }
  }
}

extension World {
  enum Change: WorldChange {
    case common(CommonChange)
    case select(Int)
    /// Changes a child's state, or puts another one in its place.
    case land(seed: UInt32?), mirrored(seed: UInt32?)
    case guest(Int?, seed: UInt32)
    case fog(seed: UInt32?), haze(seed: UInt32?)
    case calm, sun(seed: UInt32), rain(seed: UInt32)
    case list(ListChange), shelf(ListChange)
    case attach(seed: UInt32), replace(seed: UInt32), detach
    case push(Int), pop, replaceTop(Int), bringToFront(Int)
    case tabs(Int), pages(Int), curtain(Int)
    case items(ListChange), veils(ListChange)

    static func random(using generator: inout SeededGenerator) -> Change {
      let seed = UInt32.random(in: 0...999, using: &generator)
      let (index, isNil) = (Int.random(in: 0...2, using: &generator), Bool.random(using: &generator))
      switch Int.random(in: 0..<60, using: &generator) {
      case 32..<41: return .list(.random(using: &generator))
      case 46..<60: return .shelf(.random(using: &generator))
      case 0..<4: return .common(.random(using: &generator))
      case 4: return .select(index)
      case 5: return .land(seed: isNil ? nil : seed)
      case 6: return .mirrored(seed: isNil ? nil : seed)
      case 7, 8: return .guest(index == 0 ? nil : index, seed: seed)
      case 9: return .fog(seed: isNil ? nil : seed)
      case 10: return .haze(seed: isNil ? nil : seed)
      case 11: return .calm
      case 12, 13: return .sun(seed: seed)
      case 14, 15: return .rain(seed: seed)
      case 16..<20: return .list(.random(using: &generator))
      case 20..<23: return .shelf(.random(using: &generator))
      case 23, 44, 45: return isNil ? .attach(seed: seed) : index == 0 ? .detach : .replace(seed: seed)
      case 24: return .push(index)
      case 25: return isNil ? .pop : .replaceTop(index)
      case 26: return .bringToFront(index)
      case 27: return .tabs(index)
      case 28: return .pages(index)
      case 29, 41, 42, 43: return .items(.random(using: &generator))
      case 30: return .veils(.random(using: &generator))
      default: return .curtain(index)
      }
    }
  }

  func make(_ change: Change, in state: inout State) -> Effect<Self> {
    switch change {
    case .common(let change): return self.change(&state.common, change)
    case .select(let id): state.selected = id
    case .land(let seed?): state.land = .random(seed: seed)
    case .land(nil): state.land.common.count += 1
    case .mirrored(let seed?): state.mirrored = .random(seed: seed)
    case .mirrored(nil): state.mirrored.common.count += 1
    case .guest(let id, let seed): state.guest = id.map { .random(seed: seed, id: $0) }
    case .fog(let seed): state.fog = seed.map { .random(seed: $0) }
    case .haze(let seed?): state.haze = .random(seed: seed)
    case .haze(nil): state.haze.leaf.common.count += 1
    case .calm: state.weather = .calm
    case .sun(let seed): state.weather = .sun(.random(seed: seed))
    case .rain(let seed): state.weather = Weather.embed(.random(seed: seed))
    case .list(let change): state.list.make(change, notes)
    case .shelf(let change): state.shelf.make(change, notes)
    case .attach, .replace, .detach, .push, .pop, .replaceTop, .bringToFront, .tabs, .pages, .curtain, .items, .veils:
      makeInContainers(change, &state)
    }
    return .none
  }

  private func makeInContainers(_ change: Change, _ state: inout State) {
    switch change {
    case .attach(let seed): if depth > 0 { state.slot.attach(Int(seed)) }
    case .replace(let seed): if depth > 0 { state.slot.replace(with: Int(seed)) }
    case .detach: state.slot.detach()
    case .push(let id): if state.stack.count < 4 { state.stack.push(id) }
    case .pop: state.stack.pop()
    case .replaceTop(let id): state.stack.replaceTop(with: id)
    case .bringToFront(let id): if state.stack.count < 4 { state.stack.bringToFront(id) }
    case .tabs(let index): state.tabs.select(at: index)
    case .pages(let index): state.pages.select(at: index)
    case .curtain(let index): state.curtain.select(at: index)
    case .items(let change): state.items.make(change, notes)
    case .veils(let change): state.veils.make(change, notes)
    default: break
    }
  }
}
