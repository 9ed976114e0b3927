import RibCore

/// Something that a riblet owns.
final class Component {
  let depth: Int
  init(depth: Int) { self.depth = depth }
}

/// Knows components without keeping them.
final class ComponentRegistry {
  private struct Entry { weak var component: Component? }
  private var entries: [Entry] = []

  var alive: [Int] { entries.compactMap { $0.component?.depth }.sorted() }

  func make(depth: Int) -> Component {
    let component = Component(depth: depth)
    entries.append(Entry(component: component))
    return component
  }
}

/// A chain of three; each owns a component and runs an effect.
struct Assembly: Riblet {
  static let typeName = "Assembly"
  struct State {
    var next: Slot<Int>
    var ratio = 1.0
  }
  enum ViewAction: Decodable { case close, fail }

  private let component: Component
  private let registry: ComponentRegistry

  init(depth: Int, registry: ComponentRegistry) {
    component = registry.make(depth: depth)
    self.registry = registry
  }

  var routes: [Route<Self>] {
    [Route("next", \.next) { [registry] depth in Child(Assembly(depth: depth, registry: registry)) }]
  }

  func makeState() -> State { State(next: component.depth < 2 ? Slot(component.depth + 1) : Slot()) }
  func didBecomeActive(_ state: inout State) -> Effect<Self> { .run { _ in } }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .close: state.next.detach()
    case .fail:
      state.next.replace(with: 1)
      state.ratio = .nan
    }
    return .none
  }

  func view(_ state: State) -> Double { state.ratio }
}
