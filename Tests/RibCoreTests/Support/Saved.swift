import RibCore

/// Tabs of which one is attached after the other, with states that can be saved.
struct Saved: Riblet {
  static let typeName = "Saved"
  typealias State = Tabs<Int>

  /// View actions: the names of tabs.
  let changes: [String: Int]

  var routes: [Route<Self>] {
    [Route("pages", \.self, activation: .lazy) { number in Child(SavedPage(number: number)) }]
  }

  func makeState() -> State { Tabs(0, 1, 2) }

  func reduce(into state: inout State, viewAction: String) -> Effect<Self> {
    if let index = changes[viewAction] { state.select(at: index) }
    return .none
  }

  func view(_ state: State) -> Int { state.index }
}

struct SavedPage: Riblet {
  static let typeName = "SavedPage"
  enum ViewAction: Decodable { case count }

  let number: Int

  func makeState() -> Int { number }

  func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
    state += 10
    return .none
  }

  func view(_ state: Int) -> Int { state }
}
