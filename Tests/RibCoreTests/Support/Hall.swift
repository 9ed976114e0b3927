import RibCore

/// Two conductors of which the one in front is active, and room for a third.
struct Hall: Riblet {
  static let typeName = "Hall"

  struct State: Codable {
    var stages = Tabs("left", "right")
    var guest = Slot<String>()
  }

  enum ViewAction: Decodable { case select(Int), invite, dismiss }
  struct ViewState: Encodable, Equatable {}

  var conductor = Conductor()

  var routes: [Route<Self>] {
    [
      Route("stages", \.stages, activation: .selectedOnly) { _ in Child(conductor) },
      Route("guest", \.guest) { _ in Child(conductor) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .select(let index): state.stages.select(at: index)
    case .invite: state.guest.attach("guest")
    case .dismiss: state.guest.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
