import RibCore

/// Has the first screen, and the second on top of it once the first asks for it.
struct MainRiblet: Riblet {
  static let typeName = "Main"

  /// A screen.
  enum MainRoute: Codable { case screen1, screen2 }

  struct State: Codable, Equatable { var screens = Stack(MainRoute.screen1) }
  enum InternalAction: Equatable { case screen1(Screen1.Output), screen2(Screen2.Output) }
  struct ViewState: Codable, Equatable {}

  let someManager: SomeManager

  var routes: [Route<Self>] {
    [
      Route("screens", \.screens) { screen in
        switch screen {
        case .screen1: Child(Screen1(someManager: someManager)) { .screen1($0) }
        case .screen2: Child(Screen2()) { .screen2($0) }
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    // Not pushed: of two taps, the second finds the screen there.
    case .screen1(.goToNextScreen): state.screens.bringToFront(.screen2)
    case .screen2(.completion): state.screens.pop(to: .screen1)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
