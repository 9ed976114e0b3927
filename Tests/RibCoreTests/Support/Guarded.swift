import RibCore

/// Has only a child.
struct Guarded: Riblet {
  static let typeName = "Guarded"
  struct State { var child = Slot(0) }

  var routes: [Route<Self>] { [Route("child", \.child) { _ in Child(Guard()) { _ in nil } }] }

  func makeState() -> State { State() }
  func view(_ state: State) -> Int { 0 }
}

/// Has internal actions and outputs that decode as well as its view actions do.
struct Guard: Riblet {
  static let typeName = "Guard"
  enum ViewAction: String, Decodable { case tap }
  enum InternalAction: Decodable { case tap, finish, set(Int) }
  enum Output: String, Decodable { case leave }

  func makeState() -> String { "" }

  func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
    state = "view \(viewAction)"
    return .none
  }

  func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
    state = "internal \(internalAction)"
    return .output(.leave)
  }

  func view(_ state: String) -> String { state }
}
