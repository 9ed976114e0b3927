import CurlTransport
import RibClient
import RibServer
import Testing
import Wire

/// Sessions that end, and how many there may be.
extension ResumeTests {
  @Test(arguments: [true, false]) func session_endsWhenNobodyComesBack(hasActed: Bool) async throws {
    try await withServer(
      apps: Self.apps,
      {
        $0.sessions.timeToLiveSeconds = hasActed ? 1 : 1000
        $0.sessions.untouchedSeconds = hasActed ? 1000 : 1
      }
    ) { server, url in
      let client = try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        if hasActed {
          try client.act(.string("add"), to: .path(""))
          try client.settle()
        }
        client.disconnect()
        return try #require(client.session.lastWelcome)
      }
      #expect(await eventually { server.connectionCount == 0 })
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        let texts = try Self.exchange(url, Self.hello(client, attempt: 1))
        #expect(texts.first?.contains(#""code":"gone""#) == true)
      }
    }
  }

  @Test func session_endsWithItsConnection_ifItMayNotWait() async throws {
    try await withServer(apps: Self.apps, { $0.sessions.timeToLiveSeconds = 0 }) { server, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        #expect(client.session.welcome?.timeToLive == 0)
        try client.act(.string("add"), to: .path(""))
        try client.settle()
        client.disconnect()
      }
      #expect(await eventually { server.sessionCount == 0 })
    }
  }

  @Test func sessions_areLimited() async throws {
    try await withServer(apps: Self.apps, { $0.limits.sessions = 2 }) { server, url in
      try await blocking {
        var clients: [CurlClient] = []
        for _ in 0..<2 { clients.append(try CurlClient(url: url, app: "ticker")) }
        clients[0].disconnect()
        let error = #expect(throws: CurlClientError.self) { try CurlClient(url: url, app: "ticker") }
        #expect(error?.code?.rawValue == 4100)
        try clients[0].reconnect()
        try clients[0].end()
        // Its place is free as soon as it has said goodbye.
        _ = try CurlClient(url: url, app: "ticker")
        #expect(server.sessionCount == 2)
      }
    }
  }

  /// What was sent and not answered is told to be unknown.
  @Test func clientOfALostSession_isToldWhatIsUnknown() async throws {
    try await withServer(apps: Self.apps, { $0.sessions.timeToLiveSeconds = 0 }) { server, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        try client.act(.string("add"), to: .path(""))
        client.disconnect()
        try waitUntil { server.sessionCount == 0 }
        var session = client.session
        let socket = try CurlWebSocket(url: url)
        try socket.send(session.resume())
        guard case .message(let bytes) = try socket.receive() else {
          Issue.record("no bye")
          return
        }
        let events = try session.receive(bytes.span)
        guard case .ended(.gone?, _) = events.first, case .outcomeUnknown(let action) = events.last else {
          Issue.record("\(events)")
          return
        }
        #expect(action.number == 1 && session.outbox.isEmpty && !session.isAway)
      }
    }
  }
}
