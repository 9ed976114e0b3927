import RibCore
import RibServer

/// Shows how clients sign in, and who may not try at present.
struct SignIn: Riblet {
  static let typeName = "SignIn"

  typealias State = Sighting<SignInReport>

  enum ViewAction: Codable {
    case refreshTapped, refetchKeysTapped
    case unblockTapped(address: String)
  }

  enum InternalAction: Equatable { case looked(Sight<SignInReport>) }
  typealias Output = PageOutput
  typealias Props = Onlooker

  struct ViewState: Codable, Equatable {
    /// How clients sign in; nil before it was looked at.
    let signIn: SignInReport?
    let problem: String?
    /// Whether the issuer's keys can be fetched again from here.
    let canRefetchKeys: Bool
  }

  let service: InspectorService
  let clock: any Clock<Duration>

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    switch viewAction {
    case .refreshTapped: true
    case .refetchKeysTapped, .unblockTapped: client.mayOperate
    }
  }

  func reduce(into state: inout State, props onlooker: Onlooker) -> Effect<Self> {
    state.onlooker = onlooker
    return look(onlooker)
  }

  private func look(_ onlooker: Onlooker) -> Effect<Self> {
    .look(for: onlooker, clock: clock, service.signIn) { .looked($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .refreshTapped: return look(state.onlooker)
    case .refetchKeysTapped: return .output(.wants(.refetchKeys))
    case .unblockTapped(let address):
      guard address.utf8.count <= 128 else { return .refuse("An address has 128 bytes at most.") }
      return .output(.wants(.unblock(address: address)))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .looked(let sight): state.take(sight)
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(signIn: state.value, problem: state.problem, canRefetchKeys: service.offers(.refetchKeys))
  }
}
