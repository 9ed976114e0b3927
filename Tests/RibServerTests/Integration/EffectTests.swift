import CurlTransport
import Foundation
import RibClient
import RibCore
import RibServer
import Synchronization
import Testing
import Wire

/// Effects of riblets on a server: they push patches, and end with their session.
@Suite(.timeLimit(.minutes(5))) struct EffectTests {
  /// Sends itself ticks.
  struct Ticker: Riblet {
    static let typeName = "Ticker"
    struct State {
      var ticks = 0
      var padding = ""
    }
    enum ViewAction: Decodable {
      case tick(times: Int, padding: Int)
      case fail
      case wait
    }
    enum InternalAction { case ticked(padding: Int) }
    struct ViewState: Encodable, Equatable {
      let ticks: Int
      let padding: String
    }
    struct Failure: Error {}

    let effects: EffectCounter

    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .tick(let times, let padding):
        .run { [effects] send in
          for _ in 0..<times { await send(.ticked(padding: padding)) }
          effects.finish()
        }
      case .fail: .run { _ in throw Failure() }
      case .wait: .run { [effects] _ in await effects.waitForCancellation() }
      }
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      guard case .ticked(let padding) = internalAction else { return .none }
      state.ticks += 1
      state.padding = String(repeating: state.ticks.isMultiple(of: 2) ? "x" : "y", count: padding)
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(ticks: state.ticks, padding: state.padding) }
  }

  /// Counts effects that have come to their end, and those that wait until they are cancelled.
  final class EffectCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let ends = Atomic<Int>(0)
    var waiting: Int { count.load(ordering: .relaxed) }
    var finished: Int { ends.load(ordering: .relaxed) }

    func finish() { ends.add(1, ordering: .relaxed) }

    func waitForCancellation() async {
      count.add(1, ordering: .relaxed)
      let (stream, _) = AsyncStream<Void>.makeStream()
      // Ends when the task is cancelled: nobody ever yields.
      for await _ in stream {}
      count.subtract(1, ordering: .relaxed)
    }
  }

  private func withTicker(
    _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, String, EffectCounter) async throws -> Void
  ) async throws {
    let effects = EffectCounter()
    try await withServer(apps: [App("ticker") { Ticker(effects: effects) }], change) { server, url in
      try await body(server, url, effects)
    }
  }

  private static func ticks(_ client: CurlClient) -> JSONValue? {
    client.session.view?["nodes"]?["1"]?["state"]?["ticks"]
  }

  @Test func effect_pushesPatchesWithoutAnAction() async throws {
    try await withTicker { _, url, _ in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        try client.act(.object(["tick": .object(["times": .integer(100), "padding": .integer(0)])]), to: .id(1))
        while Self.ticks(client) != .integer(100) { _ = try client.receive() }
        #expect(client.session.revision == 101)
        #expect(client.session.coveredNumber == 1)
      }
    }
  }

  @Test func clientThatDoesNotRead_getsASnapshotInsteadOfTheBacklog() async throws {
    try await withTicker { _, url, effects in
      let client = try await blocking { () -> Held in
        let client = try CurlClient(url: url, app: "ticker")
        // Its system takes little for it before it is read.
        client.limitReceiveBuffer(to: 65_536)
        // Some 12 MB of patches: far more than sockets and the queue hold.
        try client.act(.object(["tick": .object(["times": .integer(600), "padding": .integer(20_000)])]), to: .id(1))
        return Held(client)
      }
      // The last tick is done, and nothing was read yet.
      #expect(await eventually { effects.finished == 1 })
      try await blocking {
        var snapshots = 0
        var patches = 0
        try client.use { client in
          while Self.ticks(client) != .integer(600) {
            for case .view(let changes) in try client.receive() {
              if changes == nil { snapshots += 1 } else { patches += 1 }
            }
          }
        }
        #expect(snapshots >= 1)
        // What the server's system may hold for the client is some megabytes.
        #expect(patches < 400, "the backlog was sent: \(patches) patches")
      }
    }
  }

  @Test func failingEffect_leavesTheSessionAlive() async throws {
    try await withTicker { _, url, _ in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        try client.act(.string("fail"), to: .id(1))
        try client.act(.object(["tick": .object(["times": .integer(1), "padding": .integer(0)])]), to: .id(1))
        while Self.ticks(client) != .integer(1) { _ = try client.receive() }
      }
    }
  }

  @Test(arguments: [true, false])
  func endOfASession_cancelsItsEffects(_ politely: Bool) async throws {
    try await withTicker({ $0.sessions.timeToLiveSeconds = 0 }) { server, url, effects in
      let client = try await blocking { () -> Held in
        let client = try CurlClient(url: url, app: "ticker")
        for _ in 0..<3 { try client.act(.string("wait"), to: .id(1)) }
        try client.settle()
        return Held(client)
      }
      #expect(await eventually { effects.waiting == 3 })
      try await blocking { try client.release(politely: politely) }
      #expect(await eventually { effects.waiting == 0 && server.sessionCount == 0 })
    }
  }

  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Held: @unchecked Sendable {
    private var client: CurlClient?
    init(_ client: CurlClient) { self.client = client }
    func use(_ body: (CurlClient) throws -> Void) throws { if let client { try body(client) } }

    func release(politely: Bool) throws {
      if politely { try client?.end() }
      client = nil
    }
  }
}
