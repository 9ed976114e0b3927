import RibCore
import Showcase
import Testing

@testable import RibServer

/// Sessions that rest while their clients are connected, and what happens elsewhere meanwhile.
@Suite(.timeLimit(.minutes(5))) struct LiveAtRestTests {
  private static func hears(_ count: Int, _ client: PlainClient) throws {
    while true {
      let text = try client.next()
      if text.contains(#"/globalCount","value":\#(count)}"#) || text.contains(#""globalCount":\#(count),"#) { return }
    }
  }

  @Test(arguments: ServerSettings.Store.own)
  func observersAtRest_areTold(_ store: ServerSettings.Store) async throws {
    let directory = try TemporaryDirectory()
    try await withServer(
      // Their count is no other server's.
      apps: Showcase.apps(ledger: .none),
      {
        $0.sessions.idleRestSeconds = 1
        $0.store = store
        $0.stateDirectory = directory.path
      }
    ) { server, url in
      let (actor, observers) = try await blocking {
        (try PlainClient(url, app: "screens"), try (0..<20).map { _ in try PlainClient(url, app: "screens") })
      }
      for round in 1...3 {
        #expect(await eventually { server.sessionCount == 0 })
        try await blocking {
          try actor.act(round, #"{"didSetGlobalCount":\#(round + 100)}"#, to: "2")
          for observer in observers { try Self.hears(round + 100, observer) }
        }
      }
    }
  }

  /// What only a plain sequence would tell keeps the session with its client.
  @Test func observerOfASequence_staysAwake() async throws {
    let apps = [App("ear") { Ear(mayMiss: false) }, App("deaf") { Ear(mayMiss: true) }]
    try await withServer(apps: apps, { $0.sessions.idleRestSeconds = 1 }) { server, url in
      let clients = try await blocking { [try PlainClient(url, app: "ear"), try PlainClient(url, app: "deaf")] }
      #expect(await eventually { server.sessionCount == 1 })
      try await blocking {
        // It has not left: it is asked, and answers with what it has.
        try clients[0].send(#"{"t":"check"}"#)
        #expect(try clients[0].next().hasPrefix(#"{"t":"patch","rev":1,"base":1,"#))
        #expect(server.sessionCount == 1)
      }
    }
  }
}

/// Observes a sequence that says nothing.
private struct Ear: Riblet {
  static let typeName = "Ear"
  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable {}
  enum InternalAction { case heard }

  let mayMiss: Bool

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .observe({ AsyncStream<Int> { _ in } }, id: "ear", mayMiss: mayMiss) { _ in .heard }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> { .none }
  func view(_ state: State) -> ViewState { ViewState() }
}
