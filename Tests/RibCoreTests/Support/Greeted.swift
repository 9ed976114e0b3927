import RibCore

/// Attaches a child that speaks as soon as it is there.
struct Greeted: Riblet {
  static let typeName = "Greeted"
  struct State {
    var heard = ""
    var greeter = Slot<Int>()
  }
  enum ViewAction: Decodable { case greet }
  enum InternalAction: Sendable { case greeter(Greeter.Output) }
  struct ViewState: Encodable, Equatable { let heard: String }

  var routes: [Route<Self>] { [Route("greeter", \.greeter) { _ in Child(Greeter()) { .greeter($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.greeter.attach(1)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .greeter(.hello): state.heard = "hello"
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(heard: state.heard) }
}

struct Greeter: Riblet {
  static let typeName = "Greeter"
  enum Output: Sendable { case hello }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .output(.hello) }
  func view(_ state: Void) -> ViewState { ViewState() }
}
