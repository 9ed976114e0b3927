import CurlTransport
import Foundation
import RibServer
import RibTestSupport
import Testing
import WireHTTP

extension GateTests {
  /// With what a proxy has said of the scheme, pages of the other one are others.
  @Test func schemeThatAProxySays_isCompared() async throws {
    let forwarded = { @Sendable (scheme: String, origin: String) in
      ["Host: app.example.com", "Origin: \(origin)", "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: \(scheme)"]
    }
    try await withServer({ $0.hosts = ["app.example.com"] }) { _, url in
      try await blocking { () throws in
        #expect(try Self.statuses(url, forwarded("https", "https://app.example.com")) == Self.letIn)
        #expect(try Self.statuses(url, forwarded("https", "http://app.example.com")) == [403, 403])
        #expect(try Self.statuses(url, forwarded("http", "https://app.example.com")) == [403, 403])
      }
    }
    // Nobody is believed: then it is as if nothing had been said.
    try await withServer({
      $0.hosts = ["app.example.com"]
      $0.proxies.trusted = []
    }) { _, url in
      try await blocking { () throws in
        #expect(try Self.statuses(url, forwarded("https", "http://app.example.com")) == Self.letIn)
      }
    }
  }

  /// A connection is counted to whom a proxy speaks for, and not to the proxy.
  @Test(arguments: ["X-Forwarded-For", "Forwarded", "PROXY"])
  func connections_areCountedToTheClient_notToTheProxy(by way: String) async throws {
    try await withServer({
      $0.limits.connectionsPerAddress = 2
      if way == "Forwarded" { $0.proxies.field = .forwarded }
      if way == "PROXY" { $0.proxies.protocol = .required }
    }) { server, url in
      @Sendable func open(_ client: String) throws -> CurlSocket {
        let socket = try CurlSocket(url: url)
        var head = ["GET /v1/socket HTTP/1.1", "Host: localhost"]
        switch way {
        case "PROXY": head[0] = "PROXY TCP4 \(client) 127.0.0.1 1 2\r\n" + head[0]
        case "Forwarded": head.append("Forwarded: for=\(client)")
        default: head.append("X-Forwarded-For: 198.51.100.1, \(client)")
        }
        head += [
          "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: riblet.v1.json", "", "",
        ]
        try socket.send(Array(head.joined(separator: "\r\n").utf8))
        return socket
      }
      @Sendable func status(_ socket: CurlSocket) throws -> String {
        var buffer = ReceiveBuffer()
        while !buffer.text.contains("\r\n\r\n"), try socket.receive(into: &buffer) {}
        return String(buffer.text.dropFirst(9).prefix(3))
      }
      try await blocking { () throws in
        var sockets = try (1...2).map { _ in try open("203.0.113.9") }
        for socket in sockets { #expect(try status(socket) == "101") }
        #expect(try status(open("203.0.113.9")) == "503")
        let other = try open("203.0.113.10")
        #expect(try status(other) == "101")
        sockets.removeFirst()
        // Its place is free again.
        try waitUntil { try status(open("203.0.113.9")) == "101" }
        withExtendedLifetime((sockets, other)) {}
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// What is no header of the PROXY protocol, where one is to come, is told so.
  @Test func connectionWithoutProxyHeader_isRefused_whereOneIsRequired() async throws {
    try await withServer({ $0.proxies.protocol = .required }) { _, url in
      try await blocking { () throws in
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let refused = try Self.exchange(url, request)
        #expect(refused.hasPrefix("HTTP/1.1 400 ") && refused.contains("PROXY protocol"))
        for header in ["PROXY UNKNOWN\r\n", "PROXY TCP6 2001:db8::9 ::1 1 2\r\n"] {
          #expect(try Self.exchange(url, header + request).hasPrefix("HTTP/1.1 200 "))
        }
      }
    }
    try await withServer({
      $0.proxies.protocol = .required
      $0.proxies.trusted = ["192.0.2.1"]
    }) { server, url in
      // Not even a word.
      let text = try await blocking { () throws in
        try Self.exchange(url, "PROXY UNKNOWN\r\nGET /healthz HTTP/1.1\r\n\r\n")
      }
      #expect(text.isEmpty && server.connectionCount == 0)
    }
  }

  /// Whatever one client has been refused, the next one on the connection is another one.
  @Test func connectionOfAProxy_isNobodysBetweenTwoRequests() async throws {
    try await withServer({
      $0.limits.newSessionsPerMinute = 2
      $0.limits.connectionsPerAddress = 1
      $0.hosts = ["localhost"]
    }) { server, url in
      try await blocking { () throws in
        let body = #"{"app":"counter"}"#
        let begin = { (client: String) in Self.request("POST /v1/sessions", for: client, body: body) }
        let events = { (client: String) in
          Self.request("GET /v1/sessions/x/events", for: client, ["Riblet-Token: x"])
        }
        let holder = try CurlSocket(url: url)
        try holder.send(Array(Self.request("GET /v1/socket", for: "203.0.113.1", Self.upgrade).utf8))
        var buffer = ReceiveBuffer()
        while !buffer.text.contains("\r\n\r\n") { try #require(try holder.receive(into: &buffer)) }
        let shared = [
          events("203.0.113.2"), events("203.0.113.2"),
          Self.request("GET /v1/socket", for: "203.0.113.1", Self.upgrade),
          begin("203.0.113.3"), begin("203.0.113.3"), begin("203.0.113.3"), begin("203.0.113.4"), begin("203.0.113.2"),
          events("203.0.113.5"),
        ]
        let text = try Self.exchange(
          url, shared.joined() + Self.request("GET /healthz", for: "203.0.113.6", ["Connection: close"]))
        #expect(Self.statuses(of: text) == ["404", "404", "503", "201", "201", "429", "201", "201", "404", "200"])
        // Who was refused holds no place either.
        let again = try CurlSocket(url: url)
        try again.send(Array(Self.request("GET /v1/socket", for: "203.0.113.2", Self.upgrade).utf8))
        var answer = ReceiveBuffer()
        while !answer.text.contains("\r\n\r\n") { try #require(try again.receive(into: &answer)) }
        #expect(answer.text.hasPrefix("HTTP/1.1 101 "))
        withExtendedLifetime((holder, again)) {}
      }
    }
  }

  @Test func connectionsOfAStranger_areCountedAsTheyCome() async throws {
    let log = CollectedLog()
    try await withServer(
      environment: from("203.0.113.9"), logger: log.logger, { $0.limits.connectionsPerAddress = 2 }
    ) { server, url in
      try await blocking { () throws in
        let sockets = try (1...2).map { _ in try CurlWebSocket.counter(url) }
        #expect(try Self.ask(url, "GET /healthz", ["Host: localhost"]).hasPrefix("HTTP/1.1 503 "))
        withExtendedLifetime(sockets) {}
      }
      #expect(log.texts.contains { $0.contains("203.0.113.9") && $0.contains("limits.connectionsPerAddress") })
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// Who is no trusted proxy has one budget, whomever he says that he speaks for.
  @Test func strangerThatSpeaksForOthers_isNotBelieved() async throws {
    try await withServer(environment: from("203.0.113.9"), { $0.limits.newSessionsPerMinute = 3 }) { _, url in
      try await blocking { () throws in
        let statuses = try (1...6).map { client in
          try Self.makeSession(url, ["Host: localhost", "X-Forwarded-For: 198.51.100.\(client)"]).dropFirst(9).prefix(3)
        }
        #expect(statuses.prefix(3) == ["201", "201", "201"] && statuses.last == "429")
      }
    }
    try await withServer(
      environment: from("203.0.113.9"),
      {
        $0.limits.newSessionsPerMinute = 3
        $0.proxies.trusted = ["203.0.113.0/24"]
      }
    ) { _, url in
      try await blocking { () throws in
        for client in 1...6 {
          let text = try Self.makeSession(url, ["Host: localhost", "X-Forwarded-For: 198.51.100.\(client)"])
          #expect(text.hasPrefix("HTTP/1.1 201 "))
        }
      }
    }
  }

  /// Behind a header of the PROXY protocol, the field is believed of a proxy alone.
  @Test(arguments: [
    ("PROXY UNKNOWN", "429"), ("PROXY TCP4 203.0.113.9 127.0.0.1 1 2", "429"),
    ("PROXY TCP4 10.0.0.9 127.0.0.1 1 2", "201"),
  ])
  func clientBehindAProxyHeader_speaksForHimself(_ header: String, _ last: String) async throws {
    try await withServer({
      $0.limits.newSessionsPerMinute = 3
      $0.limits.connectionsPerAddress = 1
      $0.proxies.protocol = .required
      $0.proxies.trusted = ["loopback", "10.0.0.0/8"]
    }) { _, url in
      try await blocking { () throws in
        let body = #"{"app":"counter"}"#
        let requests = (1...6).map { Self.request("POST /v1/sessions", for: "198.51.100.\($0)", body: body) }
        let text = try Self.exchange(
          url,
          "\(header)\r\n" + requests.joined() + Self.request("GET /healthz", for: "198.51.100.9", ["Connection: close"])
        )
        #expect(Self.statuses(of: text).dropLast().last == last && Self.statuses(of: text).count == 7, "\(text)")
      }
    }
  }
}
