import RibCore
import RibServer
import RibTestSupport
import Testing
import Wire

/// What a riblet knows of its session, and of the clients that are there.
@Suite(.blocking) struct ConnectedClientsTests {
  /// Shows how many look at it.
  private struct Stage: Riblet {
    static let typeName = "Stage"
    struct Parameters: Decodable, Sendable { let title: String? }
    struct ViewState: Encodable, Equatable { let session: String, title: String, clients: Int }
    enum InternalAction { case clientsChanged(Int) }

    var title = ""
    let session: SessionContext

    func makeState() -> Int { 0 }

    func didBecomeActive(_ clients: inout Int) -> Effect<Self> {
      .observe(session.clients, id: "clients") { .clientsChanged($0) }
    }

    func reduce(into clients: inout Int, internalAction: InternalAction) -> Effect<Self> {
      switch internalAction {
      case .clientsChanged(let count): clients = count
      }
      return .none
    }

    func view(_ clients: Int) -> ViewState { ViewState(session: session.id, title: title, clients: clients) }
  }

  private static let apps = [
    App("stage") { session in Stage(session: session) },
    App("titled", parameters: Stage.Parameters.self) { parameters, session in
      Stage(title: parameters.title ?? "none", session: session)
    },
  ]

  /// Reads until the view says that there are so many.
  private func read(until count: Int, _ client: PlainClient) throws {
    var text = ""
    repeat {
      text = try client.next()
    } while !text.contains(#""path":"/nodes/1/state/clients","value":\#(count)"#)
      && !text.contains(#""clients":\#(count)"#)
  }

  @Test func riblet_isToldWhoComesAndGoes() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "stage")
        try read(until: 1, first)
        let second = try PlainClient(url, joining: try first.share("act"))
        try read(until: 2, first)
        second.cut()
        try read(until: 1, first)
      }
    }
  }

  @Test func riblet_knowsItsSession() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let client = try PlainClient(url, saying: #"{"t":"hello","app":"titled","params":{"title":"Hamlet"}}"#)
        try client.greet()
        let view = try client.next(#"{"t":"snap""#)
        #expect(view.contains(#""session":"\#(try client.welcome.sessionID)","title":"Hamlet""#))
      }
    }
  }
}
