import RibCore

/// Has two views that come and go, a count of its own, and one that it shares with all other sessions.
struct Screen1: Riblet {
  static let typeName = "Screen1"

  struct State: Codable, Equatable {
    var subView1 = Slot<NoConfig>()
    var subView2 = Slot<NoConfig>()
    var globalCount = 0
    var localCount = 0
  }

  enum ViewAction: Codable {
    case didSelectToAddSubView1, didSelectToRemoveSubView1
    case didSelectToAddSubView2, didSelectToRemoveSubView2
    case didSelectToGoToNextScreen
    case didSetGlobalCount(Int)
    case didSetLocalCount(Int)
  }

  enum InternalAction: Equatable { case globalCountChanged(Int) }
  enum Output { case goToNextScreen }
  struct ViewState: Codable, Equatable { let globalCount: Int, localCount: Int }

  let someManager: SomeManager

  var routes: [Route<Self>] {
    [
      Route("subView1", \.subView1) { Child(Screen1SubView1()) },
      Route("subView2", \.subView2) { Child(Screen1SubView2()) },
    ]
  }

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .observe(someManager.globalCount, id: "globalCount") { .globalCountChanged($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .didSelectToAddSubView1: state.subView1.attach()
    case .didSelectToRemoveSubView1: state.subView1.detach()
    case .didSelectToAddSubView2: state.subView2.attach()
    case .didSelectToRemoveSubView2: state.subView2.detach()
    case .didSelectToGoToNextScreen: return .output(.goToNextScreen)
    case .didSetGlobalCount(let count):
      // The difference, not the count: what other sessions add meanwhile is not lost.
      let change = count &- state.globalCount
      state.globalCount = count
      return .update(someManager.globalCount) { $0 &+= change }
    case .didSetLocalCount(let count): state.localCount = count
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .globalCountChanged(let count): state.globalCount = count
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(globalCount: state.globalCount, localCount: state.localCount)
  }
}
