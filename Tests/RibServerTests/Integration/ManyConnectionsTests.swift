import CurlTransport
import RibClient
import RibCore
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Many clients at once, every one with a session of its own.
@Suite(.serialized) struct ManyConnectionsTests {
  static let connections = 2000
  static let actions = 20

  /// Every client sends its actions without waiting; then every one's view is looked at.
  private static func play(_ url: String, connections: Int) throws {
    let clients = try (0..<connections).map { _ in try CurlClient(url: url, app: "counter") }
    for number in 1...actions {
      // Odd clients count down, so that a mixed-up session would show.
      for (index, client) in clients.enumerated() {
        try client.act(.string(index.isMultiple(of: 2) ? "increment" : "decrement"), to: .id(1))
        if number.isMultiple(of: 5) { try client.settle() }
      }
    }
    for (index, client) in clients.enumerated() {
      try client.settle()
      let count = index.isMultiple(of: 2) ? actions : -actions
      #expect(client.session.view?["nodes"]?["1"]?["state"]?["count"] == .integer(Int64(count)))
      #expect(client.session.coveredNumber == actions)
    }
    for client in clients { try client.end() }
  }

  /// Waits on its loop until three of its kind do so, for ten seconds at most.
  private struct Meeting: Riblet {
    static let typeName = "Meeting"
    static let count = Atomic<Int>(0)
    enum ViewAction: Decodable { case come }
    func makeState() -> Bool { false }
    func reduce(into haveMet: inout Bool, viewAction: ViewAction) -> Effect<Self> {
      Self.count.add(1, ordering: .relaxed)
      let end = ContinuousClock.now + .seconds(10)
      while Self.count.load(ordering: .relaxed) < 3, ContinuousClock.now < end { sched_yield() }
      haveMet = Self.count.load(ordering: .relaxed) == 3
      return .none
    }
    func view(_ haveMet: Bool) -> Bool { haveMet }
  }

  /// Each of three clients has a loop of three.
  @Test func loops_areGivenConnectionsInTurn() async throws {
    try await withServer(apps: [App("meeting") { Meeting() }], { $0.loops = 3 }) { _, url in
      try await blocking {
        let clients = try (0..<3).map { _ in try CurlClient(url: url, app: "meeting") }
        for client in clients { try client.act(.string("come"), to: .path("")) }
        for client in clients {
          try client.settle()
          #expect(try client.state() == .bool(true))
        }
      }
    }
  }

  @Test func twoThousandClients_areAllServedAndAllForgotten() async throws {
    let limit = Server.raiseDescriptorLimit()
    try #require(limit > 2 * Self.connections + 200, "the test needs more descriptors: ulimit -n")
    try await withServer { server, url in
      try await blocking { try Self.play(url, connections: Self.connections) }
      #expect(await eventually { server.connectionCount == 0 && server.sessionCount == 0 })
    }
  }

  @Test func manyClients_leaveNoDescriptorBehind() async throws {
    let connections = TestRun.volume(500, nightly: Self.connections)
    try #require(Server.raiseDescriptorLimit() > connections + 200, "the test needs more descriptors: ulimit -n")
    let daemon = try Daemon(["--limits-actions-per-second", "0", "--timeouts-heartbeat-seconds", "600"])
    let before = daemon.descriptorCount
    try await blocking { [url = daemon.url] in try Self.play(url, connections: connections) }
    #expect(await eventually { daemon.descriptorCount <= before })
    #expect(daemon.stop() == 0)
  }
}
