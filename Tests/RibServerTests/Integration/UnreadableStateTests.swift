import RibCore
import Testing
import Wire

@testable import RibServer

/// A deploy whose code cannot read what is stored.
@Suite(.timeLimit(.minutes(5))) struct UnreadableStateTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withServer(_ app: App, _ body: @escaping @Sendable (_ url: String) throws -> Void) async throws {
    try await RibServerTests.withServer(
      apps: [app],
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in try await blocking { try body(url) } }
  }

  @Test func stateThatCannotBeRead_isKept_untilARollBack() async throws {
    let counter = App("counter") { Old() }
    let welcome = Box<Welcome>()
    try await withServer(counter) { url in
      let client = try PlainClient(url, app: "counter")
      try client.act(1, #""add""#)
      try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
      welcome.value = try client.welcome
      client.cut()
    }
    for attempt in 1...2 {
      try await withServer(App("counter") { New() }) { url in
        let client = try PlainClient(url, resuming: try #require(welcome.value), attempt: attempt)
        #expect(client.greeting.hasPrefix(#"{"t":"bye","code":"unavailable","#), "\(client.greeting)")
        #expect(try client.end() == "none 4101")
      }
    }
    try await withServer(counter) { url in
      let client = try PlainClient(url, resuming: try #require(welcome.value), attempt: 3)
      #expect(try client.welcome.number == 1)
      #expect(try client.next(#"{"t":"snap""#).contains(#""count":1"#))
    }
  }

  @Test func appThatChoosesTo_buildsAnew() async throws {
    let welcome = Box<Welcome>()
    try await withServer(App("counter") { Old() }) { url in
      let client = try PlainClient(url, app: "counter")
      try client.act(1, #""add""#)
      try client.next(#"{"t":"patch""#)
      welcome.value = try client.welcome
      client.cut()
    }
    try await withServer(App("counter", onUnreadableState: .rebuild) { New() }) { url in
      let client = try PlainClient(url, resuming: try #require(welcome.value), attempt: 1)
      #expect(try client.next(#"{"t":"snap""#).contains(#""name":"new""#))
    }
  }
}

/// Something that is handed from one server's test to the next.
private final class Box<Value>: @unchecked Sendable {
  // One body after the other, each awaited.
  var value: Value?
}

private struct Old: Riblet {
  static let typeName = "Counter"
  struct State: Codable, Equatable { var count = 0 }
  struct ViewState: Codable, Equatable { let count: Int }
  enum ViewAction: String, Codable { case add }

  func makeState() -> State { State() }
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    return .none
  }
  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}

/// The same, with a property renamed and nothing said of it.
private struct New: Riblet {
  static let typeName = "Counter"
  struct State: Codable, Equatable { var name = "new" }
  struct ViewState: Codable, Equatable { let name: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(name: state.name) }
}
