import CurlTransport
import Foundation
import RibServer
import Testing
import WireHTTP

/// Requests over real sockets: what is answered, in which order, and how long one may take.
struct HTTPTests {
  /// Sends text, and reads until the server closes.
  private static func exchange(_ url: String, _ pieces: String...) throws -> String {
    let socket = try CurlSocket(url: url)
    for piece in pieces { try socket.send(Array(piece.utf8)) }
    var buffer = ReceiveBuffer()
    while try socket.receive(into: &buffer) {}
    return buffer.text
  }

  /// Reads until text has come.
  private static func read(_ socket: CurlSocket, until text: String) throws -> String {
    var buffer = ReceiveBuffer()
    while !buffer.text.contains(text) {
      guard try socket.receive(into: &buffer) else { break }
    }
    return buffer.text
  }

  private static func statuses(_ text: String) -> [String] {
    text.matches(of: #/HTTP\/1\.1 (\d{3})/#).map { String($0.1) }
  }

  private static let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  @Test func requests_areAnsweredInOrder_whateverTheyAre() async throws {
    try await withServer { _, url in
      try await blocking {
        let text = try Self.exchange(
          url,
          "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel",
          "loDELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nBREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
          "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n", Self.last)
        #expect(Self.statuses(text) == ["200", "404", "405", "501", "405", "426", "200"])
        #expect(text.ranges(of: "Connection: close").count == 1)
        #expect(text.hasSuffix("\r\n\r\nok\n"))
      }
    }
  }

  @Test func response_hasADate_andHEADNoBody() async throws {
    try await withServer { _, url in
      try await blocking {
        let text = try Self.exchange(url, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(text.contains("Content-Length: 3\r\n") && text.hasSuffix("\r\n\r\n"))
        let date = try #require(text.firstMatch(of: #/\r\nDate: \w{3}, \d\d \w{3} (\d{4}) \d\d:\d\d:\d\d GMT\r\n/#))
        #expect((2026...2100).contains(Int(date.1) ?? 0))
      }
    }
  }

  /// RFC 9110 §9.3.2, be the request ever so wrong.
  @Test(
    arguments: [
      ("HEAD /healthz HTTP/1.1\r\n\r\n", 400), ("\r\nHEAD /#a HTTP/1.1\r\n\r\n", 400),
      ("HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n", 413),
      ("HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
      ("HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
      ("HEAD / HTTP/2.0\r\n\r\n", 505), ("HEAD /\(String(repeating: "a", count: 9000))", 414),
      ("HEAD / HTTP/1.1\r\nHost:", 408),
    ])
  func refusalOfAHEAD_hasNoContent(request: String, status: Int) async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 1 }) { _, url in
      try await blocking {
        let text = try Self.exchange(url, request)
        #expect(Self.statuses(text) == ["\(status)"])
        #expect(text.contains("Content-Length: ") && text.hasSuffix("\r\n\r\n"))
        #expect(text.ranges(of: "\r\n\r\n").count == 1)
      }
    }
  }

  @Test func response_isCompressedForWhoeverAsks() async throws {
    try await withServer { _, url in
      try await blocking {
        // A refusal of some length is all there is to compress yet.
        let request = "/\(String(repeating: "long", count: 500)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        let plain = try Self.exchange(url, "GET \(request)\r\n")
        #expect(plain.hasPrefix("HTTP/1.1 404 ") && plain.contains("Vary: Accept-Encoding\r\n"))
        let compressed = try Self.exchange(url, "GET \(request)Accept-Encoding: gzip\r\n\r\n")
        let head = try #require(compressed.ranges(of: "\r\n\r\n").first.map { compressed[..<$0.upperBound] })
        #expect(head.contains("Content-Encoding: gzip\r\n") && head.contains("Vary: Accept-Encoding\r\n"))
        #expect(compressed.utf8.count < plain.utf8.count / 2)
        // What would come, and nothing of it.
        let asked = try Self.exchange(url, "HEAD \(request)Accept-Encoding: gzip\r\n\r\n")
        #expect(Self.withoutDate(asked) == Self.withoutDate(String(head)))
      }
    }
  }

  /// More than are answered in one turn.
  @Test func pipelinedRequests_areAllAnswered() async throws {
    try await withServer { _, url in
      try await blocking {
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let text = try Self.exchange(url, String(repeating: request, count: 1000) + Self.last)
        #expect(Self.statuses(text) == Array(repeating: "200", count: 1001))
      }
    }
  }

  /// Who does not wait for answers is held to the rate of messages: here 200 a second, and 20 at once.
  @Test func pipelinedRequests_areDelayedAndNotLost() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 20
      $0.limits.actionBurst = 2
    }) { _, url in
      try await blocking {
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let start = ContinuousClock.now
        let text = try Self.exchange(url, String(repeating: request, count: 100) + Self.last)
        #expect(Self.statuses(text).count == 101)
        #expect(ContinuousClock.now - start > .milliseconds(380))
      }
    }
  }

  /// Whether this machine has the address of itself in IPv6.
  private static let hasIPv6 = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8).isEmpty) == false

  @Test(.enabled(if: hasIPv6, "this machine has no address of its own in IPv6")) func server_listensOnIPv6()
    async throws
  {
    try await withServer({ $0.host = "::1" }) { _, url in
      #expect(url.hasPrefix("http://[::1]:"))
      try await blocking {
        #expect(try TwinClient(url).ask("GET", "/healthz").status == 200)
        let client = try PlainClient(url, app: "counter")
        try client.act(1, #""increment""#)
        try client.next(#"{"t":"patch""#)
        client.cut()
      }
    }
  }

  private static func withoutDate(_ text: String) -> String { text.replacing(#/Date: [^\r]*\r\n/#, with: "") }

  @Test func options_sayWhatIsAllowed() async throws {
    try await withServer { _, url in
      try await blocking {
        let text = try Self.exchange(
          url, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\nOPTIONS /v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n",
          Self.last)
        #expect(Self.statuses(text) == ["204", "204", "200"])
        #expect(
          text.contains("Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n") && text.contains("Allow: GET, OPTIONS\r\n"))
      }
    }
  }

  @Test func heldBackBody_isAskedFor_ifTheRequestHasAChance() async throws {
    try await withServer { _, url in
      try await blocking {
        let waiting = "Host: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        let socket = try CurlSocket(url: url)
        try socket.send(Array("GET /healthz HTTP/1.1\r\n\(waiting)".utf8))
        #expect(try Self.read(socket, until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try socket.send(Array("hello\(Self.last)".utf8))
        var buffer = ReceiveBuffer()
        while try socket.receive(into: &buffer) {}
        #expect(Self.statuses(buffer.text) == ["200", "200"])
        // Who has not waited is not told.
        let prompt = "GET /healthz HTTP/1.1\r\n\(waiting)hello\(Self.last)"
        #expect(Self.statuses(try Self.exchange(url, prompt)) == ["200", "200"])
        // It knows already that there will be nothing.
        let hopeless = try CurlSocket(url: url)
        try hopeless.send(Array("POST /nowhere HTTP/1.1\r\n\(waiting)".utf8))
        #expect(try Self.read(hopeless, until: "\r\n\r\n").hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      }
    }
  }

  @Test func oldClient_isToldThatItMayGoOn() async throws {
    try await withServer { _, url in
      try await blocking {
        let text = try Self.exchange(
          url, "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /healthz HTTP/1.0\r\n\r\n")
        #expect(Self.statuses(text) == ["200", "200"])
        #expect(text.contains("Connection: keep-alive\r\n") && text.contains("Connection: close\r\n"))
      }
    }
  }

  static let ends: [(request: String, status: String)] = [
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n", "413"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n", "413"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\n\r\n", "417"),
    // What would be smuggled past a proxy.
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400"),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length : 5\r\n\r\nhello", "400"),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nA: b\rc\r\n\r\n", "400"),
  ]

  @Test(arguments: ends)
  func unclearRequest_endsTheConnection(row: (request: String, status: String)) async throws {
    try await withServer { _, url in
      try await blocking {
        let text = try Self.exchange(url, row.request + Self.last)
        #expect(Self.statuses(text) == [row.status])
        #expect(text.contains("Connection: close\r\n"))
      }
    }
  }

  // MARK: Time

  @Test func slowBody_isGivenUp() async throws {
    try await withServer({ $0.timeouts.bodySeconds = 1 }) { server, url in
      try await blocking {
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel"
        let text = try Self.exchange(url, head)
        #expect(text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  @Test func drippingHead_isGivenUp() async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 1 }) { _, url in
      try await blocking {
        // Also after an answer, and though something comes all the time.
        let socket = try CurlSocket(url: url)
        try socket.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        _ = try Self.read(socket, until: "ok\n")
        var buffer = ReceiveBuffer()
        var isOpen = true
        var sent = 0
        // Three minutes long.
        let head = Array(
          "GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: \(String(repeating: "x", count: 900))\r\n".utf8)
        for byte in head {
          try socket.send([byte])
          sent += 1
          do {
            isOpen = try socket.receive(into: &buffer, timeout: 200)
          } catch let error as CurlError where error == .timedOut {
            continue
          }
          if !isOpen || buffer.text.contains("408") { break }
        }
        #expect(buffer.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(sent < head.count, "it was not given up for its slowness, but at its end")
      }
    }
  }

  /// A body that is longer than a message is not waited for, and takes no memory; one that nobody wants is passed over.
  @Test(arguments: [
    ("POST /v1/sessions", "Content-Length: 1025", "", "413"),
    ("POST /v1/sessions/x/actions", "Content-Length: 1025", "", "413"),
    ("POST /v1/sessions", "Transfer-Encoding: chunked", "401\r\n", "413"),
    (
      "POST /v1/sessions", "Transfer-Encoding: chunked", "400\r\n\(String(repeating: " ", count: 1024))\r\n1\r\n", "413"
    ),
    ("POST /v1/sessions", "Content-Length: 1024", String(repeating: " ", count: 1024), "400"),
    ("POST /nowhere", "Content-Length: 1025", String(repeating: " ", count: 1025), "404"),
  ])
  func longBody_isRefused_beforeItComes(line: String, field: String, body: String, status: String) async throws {
    try await withServer({
      $0.limits.messageBytes = 1024
      $0.timeouts.bodySeconds = 600
    }) { _, url in
      try await blocking {
        let socket = try CurlSocket(url: url)
        try socket.send(
          Array("\(line) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(field)\r\n\r\n\(body)".utf8)
        )
        #expect(try Self.read(socket, until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
      }
    }
  }

  @Test func idleConnection_isClosedWithoutAWord() async throws {
    try await withServer({
      $0.timeouts.idleSeconds = 1
      $0.timeouts.handshakeSeconds = 60
    }) { server, url in
      try await blocking {
        let socket = try CurlSocket(url: url)
        try socket.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(try Self.read(socket, until: "ok\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
        var rest = ReceiveBuffer()
        #expect(try !socket.receive(into: &rest))
        #expect(rest.isEmpty)
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// Also after a body that nobody wanted, with the empty line that some clients end one with, and after a refusal.
  @Test(arguments: [
    "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello\r\n",
    "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n",
  ])
  func connectionIsIdle_afterAnyAnswer(request: String) async throws {
    try await withServer({
      $0.timeouts.idleSeconds = 1
      $0.timeouts.handshakeSeconds = 60
      $0.timeouts.bodySeconds = 60
    }) { _, url in
      try await blocking {
        // The server closes: nobody else does, and no other limit is less than a minute.
        let text = try Self.exchange(url, request)
        #expect(Self.statuses(text).count == 1)
      }
    }
  }

  // MARK: Too many

  @Test func thoseTurnedAway_areNotMoreThanTheirOwnLimit() async throws {
    try #require(Server.raiseDescriptorLimit() > 1000, "the test needs more descriptors: ulimit -n")
    try await withServer({
      $0.limits.connections = 1
      $0.timeouts.closingSeconds = 60
    }) { _, url in
      try await blocking {
        let guest = try CurlWebSocket.counter(url)
        // They are told, and do not go.
        let told = try (0..<256).map { _ in try CurlSocket(url: url) }
        for socket in told { #expect(try Self.read(socket, until: "\r\n\r\n").hasPrefix("HTTP/1.1 503 ")) }
        #expect(try Self.exchangeNothing(url) == "")
        try guest.send(#"{"t":"act","n":1,"to":1,"a":"increment"}"#)
        #expect(try guest.text()?.contains(#""n":1,"#) == true)
        withExtendedLifetime(told) {}
      }
    }
  }

  /// What is said to whoever says nothing.
  private static func exchangeNothing(_ url: String) throws -> String {
    let socket = try CurlSocket(url: url)
    var buffer = ReceiveBuffer()
    // It may be reset, too.
    while (try? socket.receive(into: &buffer)) == true {}
    return buffer.text
  }

  @Test func connectionBeyondTheLimit_isTurnedAway() async throws {
    try await withServer({ $0.limits.connections = 2 }) { server, url in
      try await blocking {
        var sockets = try (1...2).map { _ in try CurlWebSocket.counter(url) }
        let text = try Self.exchange(url, Self.last)
        #expect(text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(text.contains("Retry-After: 5\r\n"))
        #expect(server.connectionCount == 2)
        try sockets[0].socket.send([])
        sockets.removeFirst()
      }
      #expect(await eventually { server.connectionCount == 0 })
      let text = try await blocking { try Self.exchange(url, Self.last) }
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }
}
