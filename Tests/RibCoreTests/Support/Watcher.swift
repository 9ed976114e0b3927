import RibCore

/// What ``Watcher``s saw.
final class EffectCounter {
  weak var tree: Tree?
  var counts: [Int] = []
}

/// A chain of three; all but the root start an effect, and note how many run when they resign.
struct Watcher: Riblet {
  static let typeName = "Watcher"
  struct State { var next: Slot<Int> }
  enum ViewAction: Decodable { case close }
  struct ViewState: Encodable, Equatable {}

  let depth: Int
  let counter: EffectCounter

  var routes: [Route<Self>] {
    [Route("next", \.next) { [counter] depth in Child(Watcher(depth: depth, counter: counter)) }]
  }

  func makeState() -> State { State(next: depth < 2 ? Slot(depth + 1) : Slot()) }
  func didBecomeActive(_ state: inout State) -> Effect<Self> { depth > 0 ? .run { _ in } : .none }
  func willResignActive(_ state: inout State) { if let tree = counter.tree { counter.counts.append(tree.effectCount) } }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.next.detach()
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
