import RibCore

/// Counts, and opens a detail of the count.
struct Home: Riblet {
  static let typeName = "Home"

  struct State: Codable, Equatable { var count = 0, detail = Slot<Int>() }
  enum ViewAction: Codable { case closeTapped, plusTapped, minusTapped, detailTapped }
  enum InternalAction: Equatable { case detail(Detail.Output) }
  enum Output { case didTapClose }
  struct ViewState: Codable, Equatable { let count: Int }

  var routes: [Route<Self>] {
    [Route("detail", \.detail) { count in Child(Detail(count: count)) { .detail($0) } }]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .closeTapped: return .output(.didTapClose)
    case .plusTapped: state.count &+= 1
    case .minusTapped: state.count &-= 1
    case .detailTapped: state.detail.attach(state.count)
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .detail(.didTapClose): state.detail.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}

/// Shows the count as it was when the detail was opened.
struct Detail: Riblet {
  static let typeName = "Detail"

  struct State: Codable, Equatable { var count: Int }
  enum ViewAction: Codable { case closeTapped }
  enum Output { case didTapClose }
  struct ViewState: Codable, Equatable { let count: Int }

  let count: Int

  func makeState() -> State { State(count: count) }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .output(.didTapClose) }
  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}
