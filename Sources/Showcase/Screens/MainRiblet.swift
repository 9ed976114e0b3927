import RibCore

/// Has the first screen, and the second on top of it once the first asks for it.
struct MainRiblet: Riblet {
  static let typeName = "Main"

  /// A screen.
  enum MainRoute: Codable { case screen1, screen2 }

  struct State: Codable, Equatable { var screens = Stack(MainRoute.screen1) }
  struct ViewState: Codable, Equatable {}

  let someManager: SomeManager

  var routes: [Route<Self>] {
    [
      Route("screens", \.screens) { screen in
        switch screen {
        case .screen1:
          Child(Screen1(someManager: someManager)) { state, output in
            switch output {
            // Not pushed: of two taps, the second finds the screen there.
            case .goToNextScreen: state.screens.bringToFront(.screen2)
            }
            return .none
          }
        case .screen2:
          Child(Screen2()) { state, output in
            switch output {
            case .completion: state.screens.pop(to: .screen1)
            }
            return .none
          }
        }
      }
    ]
  }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState() }
}
