import RibCore
import RibServer
import Wire

/// A riblet that shows who is behind its session, and lets clerks count.
struct Desk: Riblet {
  static let typeName = "Desk"

  struct State: Codable, Equatable {
    var who: String?
    var roles: [String] = []
    var count = 0
    var isOut = false
  }
  enum ViewAction: Codable { case count, close, signOut }
  enum InternalAction: Codable { case who(String?, [String]), out }
  struct ViewState: Encodable, Equatable {
    let who: String?
    let roles: [String]
    let count: Int
    let language: String?
    let zone: String?
  }

  let session: SessionContext

  func makeState() -> State { State() }

  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
    if case .close = viewAction { client.roles.contains("boss") } else { true }
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .observe(session.identity, id: "who") { .who($0?.subject, $0?.roles.sorted() ?? []) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .count: state.count += 1
    case .close: state.count = 0
    case .signOut:
      return .run(id: "out") { [session] send in
        try await session.signOutEverywhere()
        await send(.out)
      }
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .who(let who, let roles): (state.who, state.roles) = (who, roles)
    case .out: state.isOut = true
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(
      who: state.who, roles: state.roles, count: state.count, language: session.client.locale,
      zone: session.client.timeZone)
  }

  /// The apps of a server: for anyone, for whoever has signed in, and for clerks.
  static let apps = [
    App("open") { (session: SessionContext) in Desk(session: session) },
    App("known", access: .identified) { (session: SessionContext) in Desk(session: session) },
    App("staff", access: .roles(["clerk", "boss"])) { (session: SessionContext) in Desk(session: session) },
  ]
}
