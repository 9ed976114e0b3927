import RibCore

/// Sends what is written, and refuses what it cannot send.
struct Outbox: Riblet {
  static let typeName = "Outbox"
  struct State: Codable, Equatable {
    var draft = ""
    var sent: [String] = []
    var attempts = 0
    var button = Slot(NoConfig())
  }
  enum ViewAction: Decodable {
    case write(String), sendTapped
    /// Asks for answers, and refuses empty ones.
    case ask([String])
    /// Waits, and then goes on with what it refuses.
    case wait
    /// Shows what JSON has no word for.
    case stumble
  }
  enum InternalAction: Equatable { case answered(String), button(OutboxButton.Output) }
  struct ViewState: Encodable, Equatable {
    let sent: [String]
    let ratio: Double
  }

  var routes: [Route<Self>] { [Route("button", \.button) { Child(OutboxButton()) { .button($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .write(let text): state.draft = text
    case .sendTapped: return send(&state)
    case .ask(let answers):
      return .run(id: "ask") { send in for answer in answers { await send(.answered(answer)) } }
    case .wait: return .concatenate(.run(id: "wait") { _ in }, .refuse("It is too late."))
    case .stumble: state.attempts = -1
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .answered(let answer):
      state.attempts += 1
      if answer.isEmpty { return .refuse("Nobody has answered.") }
      state.sent.append(answer)
      return .none
    case .button(.pressed): return send(&state)
    }
  }

  /// Counts first: a refusal undoes that, too.
  private func send(_ state: inout State) -> Effect<Self> {
    state.attempts += 1
    if state.draft.isEmpty { return .refuse("There is nothing to send.") }
    state.sent.append(state.draft)
    state.draft = ""
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(sent: state.sent, ratio: state.attempts < 0 ? .nan : 1) }
}

/// Tells its parent that it was pressed.
struct OutboxButton: Riblet {
  static let typeName = "OutboxButton"
  enum ViewAction: Decodable { case pressed }
  enum Output: Equatable { case pressed }

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .output(.pressed) }
  func view(_ state: Void) -> Int { 0 }
}
