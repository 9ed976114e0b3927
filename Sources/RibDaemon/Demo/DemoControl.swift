import RibCore
import RibServer

/// The app behind the buttons of the demo's page: it shows the process of the server, kills it, starts it and deploys another version.
struct DemoControl: Riblet {
  static let typeName = "DemoControl"

  struct State: Codable, Equatable { var server: DemoServer.Status }
  enum ViewAction: String, Codable { case kill, start, deploy }
  enum InternalAction: Equatable { case statusChanged(DemoServer.Status) }
  typealias ViewState = DemoServer.Status

  let server: DemoServer

  func makeState() -> State { State(server: server.status.value) }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .observe(server.status, id: "status") { .statusChanged($0) }
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    .run { [server] _ in
      switch viewAction {
      case .kill: server.killServer()
      case .start: server.start()
      case .deploy: server.deploy()
      }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .statusChanged(let status): state.server = status
    }
    return .none
  }

  func view(_ state: State) -> ViewState { state.server }
}

/// Lets in the demo's page: a client with the token that the page was given, in a page of the server's origin.
struct DemoKey: SessionAuthenticator {
  let token: String
  /// The origins of the page.
  let origins: [String]

  func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
    guard case .bearer(let secret) = request.credential else { return nil }
    guard let origin = request.origin, origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
      throw .invalid("This is for the demo's page alone.")
    }
    guard secret.utf8.elementsEqual(token.utf8) else { throw .invalid("This is not the token of the demo's page.") }
    return Identity("page")
  }
}
