import RibCore

/// Asks the operator before something is done, does it, and says what has become of it.
struct Confirm: Riblet {
  static let typeName = "Confirm"

  struct State: Codable, Equatable {
    var phase = Phase.asking
    /// The operator whose session this is.
    var name = ""
  }

  /// How far it is.
  enum Phase: Codable, Equatable {
    case asking
    case running
    case done(String)
    case failed(String)
  }

  enum ViewAction: Codable { case confirmTapped, closeTapped }
  enum InternalAction: Equatable { case done(String), failed(String) }
  enum Output: Equatable { case closed }
  /// The operator's name.
  typealias Props = String

  struct ViewState: Codable, Equatable {
    /// How far it is, in one word.
    enum Step: String, Codable { case asking, running, done, failed }

    let operation: Operation
    let question: String
    let consequence: String
    let isDestructive: Bool
    let step: Step
    /// The operation's result in a sentence, once it is done or has failed.
    let result: String?
  }

  let operation: Operation
  let service: InspectorService

  func makeState() -> State { State() }

  /// Only the operator whose session this is, so that the audit names the right one.
  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    viewAction == .closeTapped || client.mayOperate && client.isClient(of: state.name, issuer: client.issuer)
  }

  func reduce(into state: inout State, props name: String) -> Effect<Self> {
    state.name = name
    return .none
  }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    if state.phase == .running { state.phase = .failed("The operation was interrupted. Check whether it was done.") }
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .confirmTapped:
      guard state.phase == .asking else { return .refuse("The operation was confirmed already.") }
      state.phase = .running
      return .run { [service, operation, name = state.name] send in
        await send(.done(try await service.perform(operation, name)))
      } catch: { error, send in
        await send(.failed("\(error)"))
      }
    case .closeTapped: return .output(.closed)
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .done(let result): state.phase = .done(result)
    case .failed(let reason): state.phase = .failed(reason)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    let (step, result): (ViewState.Step, String?) =
      switch state.phase {
      case .asking: (.asking, nil)
      case .running: (.running, nil)
      case .done(let result): (.done, result)
      case .failed(let reason): (.failed, reason)
      }
    return ViewState(
      operation: operation, question: operation.question, consequence: operation.consequence,
      isDestructive: operation.isDestructive, step: step, result: result)
  }
}
