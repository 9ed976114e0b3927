import RibCore

/// Is opened with a secret, which it hands to an effect.
struct Vault: Riblet {
  static let typeName = "Vault"
  struct State: Codable, Equatable {
    var tries = 0
    var isLong = false
    var answer: String?
  }
  enum ViewAction: Decodable {
    case open(name: String, code: Secret<String>)
    case check(Secret<String>)
    case count(Int)
  }
  enum InternalAction: Codable {
    case answered(String)
    case told(Secret<String>)
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .open(let name, let code):
      state.tries += 1
      return .run(id: "open") { send in
        await send(.told(code))
        await send(.answered("\(name): \(code.reveal() == "1234")"))
      }
    case .check(let code):
      state.isLong = Dependencies.draw("isLong") { (code.reveal() ?? "").count > 3 }
      return .none
    case .count(let count):
      state.tries = count
      return .none
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    if case .answered(let answer) = internalAction { state.answer = answer }
    return .none
  }

  func view(_ state: State) -> State { state }
}
