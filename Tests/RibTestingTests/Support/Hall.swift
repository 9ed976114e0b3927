import RibCore

struct Hall: Riblet {
  static let typeName = "Hall"
  struct State: Codable, Equatable { var guest: Guest.State? }
  enum ViewAction: Decodable { case enter }

  var routes: [Route<Self>] { [Route("guest", \.guest) { Child(Guest()) }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.guest = Guest.State()
    return .none
  }

  func view(_ state: State) -> Int { 0 }
}

struct Guest: Riblet {
  static let typeName = "Guest"
  struct State: Codable, Equatable { var isSeated = false }

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    state.isSeated = true
    return .none
  }

  func view(_ state: State) -> Bool { state.isSeated }
}
