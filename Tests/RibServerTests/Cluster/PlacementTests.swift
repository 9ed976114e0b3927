import CurlTransport
import RibCore
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// Two nodes of different versions of the program, as there are while nodes are replaced one by one.
@Suite(
  .enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL"), .timeLimit(.minutes(5)))
struct PlacementTests {
  private enum Add: Codable { case add(String) }
  private struct Shown: Codable, Equatable { let lines: [String] }

  private struct OldList: Riblet {
    static let typeName = "List"
    typealias ViewAction = Add
    func makeState() -> [String] { [] }
    func reduce(into state: inout [String], viewAction: Add) -> Effect<Self> {
      if case .add(let line) = viewAction { state.append(line) }
      return .none
    }
    func view(_ state: [String]) -> Shown { Shown(lines: state) }
  }

  private struct NewList: Riblet {
    static let typeName = "List"
    static let stateVersion = 2
    typealias ViewAction = Add
    struct State: Codable, Equatable { var lines: [String] = [] }
    func makeState() -> State { State() }
    func migrate(_ saved: SavedState, from version: Int) throws -> State {
      State(lines: try saved.decode([String].self))
    }
    func reduce(into state: inout State, viewAction: Add) -> Effect<Self> {
      if case .add(let line) = viewAction { state.lines.append(line) }
      return .none
    }
    func view(_ state: State) -> Shown { Shown(lines: state.lines) }
  }

  private static func withNodes(
    _ body: (_ old: ClusterHost, _ new: ClusterHost) async throws -> Void
  ) async throws {
    let url = try PostgresServer.makeDatabase()
    let old = try ClusterHost(url, isLinked: true, stay: 0, [App("list") { OldList() }], program: "old")
    let new = try ClusterHost(
      url, isLinked: true, stay: 0, [App("list") { NewList() }, App("news") { NewList() }], program: "new")
    try await ClusterHost.with([old, new]) { nodes in try await body(nodes[0], nodes[1]) }
  }

  private static func add(_ client: PlainClient, _ number: Int, _ line: String) throws -> String {
    try client.act(number, #"{"add":"\#(line)"}"#)
    return try client.next(#"{"t":"patch""#)
  }

  /// What a newer program has written is served where it runs, whichever node the client comes to; and what it has is not given back.
  @Test func sessionOfANewerProgram_isPassedOnToIt() async throws {
    try await Self.withNodes { old, new in
      let client = try await blocking {
        let client = try PlainClient(old.url, app: "list")
        _ = try Self.add(client, 1, "a")
        // The newer one takes it, and migrates it.
        let moved = try PlainClient(new.url, resuming: try client.welcome, attempt: 1)
        #expect(try moved.next(#"{"t":"snap""#).contains(#""lines":["a"]"#))
        _ = try Self.add(moved, 2, "b")
        return client
      }
      #expect(await eventually { old.host.sessionCount == 0 && new.host.sessionCount == 1 })
      // The older one asks for it, and is told that it stays.
      try await blocking {
        let back = try PlainClient(old.url, resuming: try client.welcome, attempt: 2)
        #expect(try back.next(#"{"t":"snap""#).contains(#""lines":["a","b"]"#))
        _ = try Self.add(back, 3, "c")
        back.cut()
      }
      #expect(new.host.sessionCount == 1 && old.host.sessionCount == 0)
      #expect(await eventually { old.onwardCount == 0 })
      // Nobody has it: the older one reads it, cannot, and passes the client on.
      let id = try client.welcome.sessionID
      #expect(await eventually { new.host.isAbandoned(id) })
      new.host.loops[0].executeAndWait { new.host.context.sessions.peek(id)?.core.rest(isAwaited: true) }
      #expect(await eventually { new.host.sessionCount == 0 })
      try await blocking {
        let welcome = try client.welcome
        let back = try PlainClient(old.url, resuming: welcome, attempt: 3)
        #expect(try back.next(#"{"t":"snap""#).contains(#""lines":["a","b","c"]"#))
        let twin = try TwinClient(old.url, sessionID: welcome.sessionID, token: welcome.token)
        #expect(try twin.view().body.contains(#""lines":["a","b","c"]"#))
      }
      #expect(new.host.sessionCount == 1 && old.host.sessionCount == 0)
    }
  }

  /// A page of the newer version asks for an app that the older one does not have.
  @Test func appOfANewerProgram_isBegunThere() async throws {
    try await Self.withNodes { old, new in
      try await blocking {
        let client = try PlainClient(old.url, app: "news")
        #expect(try Self.add(client, 1, "a").contains(#""a""#))
        #expect(try TwinClient(old.url).create(#"{"app":"news"}"#).status == 201)
        #expect(try PlainClient(new.url, saying: #"{"t":"hello","app":"nothing"}"#).end() == "unknown_app 4404")
        #expect(try PlainClient(old.url, saying: #"{"t":"hello","app":"nothing"}"#).end() == "unknown_app 4404")
      }
      #expect(new.host.sessionCount == 2 && old.host.sessionCount == 0)
    }
  }

  /// There is no newer node any more: the client is told to come back later, and nothing is lost.
  @Test func sessionOfANewerProgram_waitsForOne() async throws {
    let url = try PostgresServer.makeDatabase()
    let new = try ClusterHost(url, isLinked: true, [App("list") { NewList() }], program: "new")
    let client = try await blocking {
      let client = try PlainClient(new.url, app: "list")
      _ = try Self.add(client, 1, "a")
      return client
    }
    await new.host.stop()
    let old = try ClusterHost(url, isLinked: true, [App("list") { OldList() }], program: "old")
    try await blocking {
      let welcome = try client.welcome
      #expect(try PlainClient(old.url, saying: PlainClient.resume(welcome, attempt: 1)).end() == "unavailable 4101")
    }
    await old.host.stop()
    let newer = try ClusterHost(url, isLinked: true, [App("list") { NewList() }], program: "newer")
    try await blocking {
      let back = try PlainClient(newer.url, resuming: try client.welcome, attempt: 2)
      #expect(try back.next(#"{"t":"snap""#).contains(#""lines":["a"]"#))
    }
    await newer.host.stop()
  }
}
