import CurlTransport
import RibClient
import RibServer
import Testing
import Wire

/// Many clients at once, every one with a session of its own.
@Suite(.serialized) struct ManyConnectionsTests {
  static let connections = 2000
  static let actions = 20

  /// Every client sends its actions without waiting; then every one's view is looked at.
  private static func play(_ url: String) throws {
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

  @Test func twoThousandClients_areAllServedAndAllForgotten() async throws {
    try #require(raiseDescriptorLimit() > 2 * Self.connections + 200, "the test needs more descriptors: ulimit -n")
    try await withServer({ $0.timeouts.heartbeatSeconds = 600 }) { server, url in
      try await blocking { try Self.play(url) }
      #expect(await eventually { server.connectionCount == 0 && server.sessionCount == 0 })
    }
  }

  @Test func twoThousandClients_leaveNoDescriptorBehind() async throws {
    try #require(raiseDescriptorLimit() > Self.connections + 200, "the test needs more descriptors: ulimit -n")
    let daemon = try Daemon(["--limits-actions-per-second", "0", "--timeouts-heartbeat-seconds", "600"])
    let before = daemon.descriptorCount
    try await blocking { [url = daemon.url] in try Self.play(url) }
    #expect(await eventually { daemon.descriptorCount <= before })
    #expect(daemon.stop() == 0)
  }
}
