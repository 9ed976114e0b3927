import CurlTransport
import RibTestSupport
import Testing
import Wire
import WireHTTP

@testable import RibServer

extension NodeRelayTests {
  /// Requests of each kind, over connections of which each serves one: what comes behind it is not passed on.
  @Test(arguments: ["GET", "HEAD", "upgrade", "chunks", "expect"])
  func connectionThatIsPassedOn_servesOneRequest(kind: String) async throws {
    try await ClusterHost.with(2) { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let (id, token) = (try client.welcome.sessionID, try client.welcome.token)
        let socket = try CurlSocket(url: nodes[1].url)
        let common = "Host: localhost\r\nRiblet-Token: \(token)\r\n"
        let view = "/v1/sessions/\(id)/view HTTP/1.1\r\n\(common)"
        let act = "POST /v1/sessions/\(id)/actions HTTP/1.1\r\n\(common)Idempotency-Key: \"1\"\r\n"
        let body = #"{"to":1,"a":{"write":"a"}}"#
        let request =
          switch kind {
          case "upgrade": "GET \(view)Connection: keep-alive\r\nUpgrade: other\r\n\r\n"
          case "chunks":
            "\(act)Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
          case "expect": "\(act)Expect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
          default: "\(kind) \(view)\r\n"
          }
        try socket.send(Array((request + "GET \(view)\r\n").utf8))
        var answer = ReceiveBuffer()
        while try socket.receive(into: &answer) {}
        let text = answer.text
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("\r\nConnection: close\r\n"), "\(text)")
        #expect(text.split(separator: "HTTP/1.1 ").count == 1, "\(text)")
        #expect(text.hasSuffix("\r\n\r\n") == (kind == "HEAD"))
      }
      #expect(await eventually { nodes[1].onwardCount == 0 && nodes[0].incomingCount == 0 })
    }
  }

  /// All come at once, as they do when a node is gone.
  @Test func manyClients_arePassedOnTogether() async throws {
    try await ClusterHost.with(2) { nodes in
      let client = try await blocking { try PlainClient(nodes[0].url) }
      let (id, token) = (try client.welcome.sessionID, try client.welcome.token)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<200 {
          group.addTask {
            try await blocking { try TwinClient(nodes[1].url, sessionID: id, token: token).view().status }
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses == [Int](repeating: 200, count: 200))
    }
  }

  /// A client that takes nothing for long is given up where it is connected.
  @Test func clientThatNeverReads_isGivenUp() async throws {
    try await ClusterHost.with(2) { settings in
      settings.timeouts.heartbeatSeconds = 1
    } _: { nodes in
      let (client, other) = try await blocking {
        let client = try PlainClient(nodes[0].url)
        let other = try PlainClient(nodes[1].url, saying: #"{"t":"hello","share":"\#(try client.share("act"))"}"#)
        try other.greet()
        return (client, other)
      }
      let title = String(repeating: "x", count: 10_000)
      try await blocking {
        var number = 1
        // Until nothing more goes, and then some.
        while nodes[1].onwardCount > 0, number < 20_000, !other.greeting.isEmpty {
          try client.act(number, #"{"open":"\#(number) \#(title)"}"#)
          while !(try client.next().hasPrefix(#"{"t":"patch""#)) {}
          number += 1
        }
      }
      #expect(nodes[1].onwardCount == 0)
      #expect(await eventually { nodes[0].incomingCount == 0 })
    }
  }

  /// The node does not take the client: it has too many, or nothing to say.
  @Test func nodeThatTakesNobody_isNotWaitedFor() async throws {
    try await ClusterHost.with(2) { settings in
      settings.limits.connections = 3
    } _: { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let share = try client.share("act")
        let others = try (0..<2).map { _ in try PlainClient(nodes[0].url) }
        let turnedAway = try PlainClient(nodes[1].url, saying: #"{"t":"hello","share":"\#(share)"}"#)
        #expect(try turnedAway.end() == "unavailable 4101")
        let twin = try TwinClient(
          nodes[1].url, sessionID: try client.welcome.sessionID, token: try client.welcome.token)
        #expect(try twin.view().status == 503)
        for other in others { other.cut() }
        try waitUntil { (try? PlainClient(nodes[1].url, joining: share)) != nil }
      }
    }
  }

  /// An empty array says nothing; what comes behind it is the `hello`.
  @Test func emptyArrayBeforeTheHello_changesNothing() async throws {
    try await ClusterHost.with(2) { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let other = try PlainClient(nodes[1].url, saying: "[]")
        try other.send(#"{"t":"hello","share":"\#(try client.share("act"))"}"#)
        try other.greet()
        #expect(try other.welcome.clientID == 2)
      }
    }
  }
}
