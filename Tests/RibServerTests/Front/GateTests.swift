import CurlTransport
import Foundation
import GRDB
import RibServer
import RibTestSupport
import Testing
import WireHTTP

@testable import Showcase

/// Who is let in: hosts, origins, what pages may read, and whom proxies speak for; over real sockets.
@Suite struct GateTests {
  /// Sends requests, and reads until the server closes.
  private static func exchange(_ url: String, _ text: String) throws -> String {
    let socket = try CurlSocket(url: url)
    try socket.send(Array(text.utf8))
    var buffer = ReceiveBuffer()
    while (try? socket.receive(into: &buffer)) == true {}
    return buffer.text
  }

  /// What a request with such fields is answered.
  private static func ask(_ url: String, _ line: String, _ fields: [String], body: String = "") throws -> String {
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let head = [line + " HTTP/1.1"] + fields + length + ["Connection: close", "", ""]
    return try exchange(url, head.joined(separator: "\r\n") + body)
  }

  private static func makeSession(_ url: String, _ fields: [String]) throws -> String {
    try ask(url, "POST /v1/sessions", fields, body: #"{"app":"counter"}"#)
  }

  private static func openSocket(_ url: String, _ fields: [String]) throws -> String {
    let socket = try CurlSocket(url: url)
    let head =
      ["GET /v1/socket HTTP/1.1"] + fields + [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: riblet.v1.json", "", "",
      ]
    try socket.send(Array(head.joined(separator: "\r\n").utf8))
    var buffer = ReceiveBuffer()
    while !buffer.text.contains("\r\n\r\n"), try socket.receive(into: &buffer) {}
    return buffer.text
  }

  /// The status by each way in.
  private static func statuses(_ url: String, _ fields: [String]) throws -> [Int] {
    try [openSocket(url, fields), makeSession(url, fields)].map { text in
      Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
    }
  }

  private static let letIn = [101, 201]

  // MARK: Hosts

  /// A page whose name leads to this machine is not served, whatever its port.
  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:1", true), ("127.0.0.1", true), ("127.0.0.1:8080", true), ("[::1]:80", true),
    ("[0:0::1]", true),
    ("evil.example", false), ("evil.example:18090", false), ("localhost.evil.example", false),
    ("127.0.0.1.nip.io", false), ("0.0.0.0", false),
    ("localhost.", false), ("127.0.0.2", false), ("a%2eb", false), ("", false),
  ])
  func hostOfAnother_isMisdirected_onThisMachinesOwnAddress(_ host: String, _ isLetIn: Bool) async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        #expect(try Self.statuses(url, ["Host: \(host)"]) == (isLetIn ? Self.letIn : [421, 421]))
        // The page's own origin does not help it.
        let ofItsOwn = try Self.openSocket(url, ["Host: \(host)", "Origin: http://\(host)"])
        if !isLetIn, !host.isEmpty { #expect(ofItsOwn.hasPrefix("HTTP/1.1 421 ")) }
        // Whoever looks whether the server is well may call it as he likes.
        #expect(try Self.ask(url, "GET /healthz", ["Host: \(host)"]).hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  /// The target wins (RFC 9112 §3.2.2), and HTTP/1.0 has none.
  @Test func hostOfTheTarget_counts() async throws {
    try await withServer(files: Self.files) { _, url in
      try await blocking { () throws in
        let status = { (line: String, host: String) in
          try Self.exchange(url, "\(line)\r\n\(host)Connection: close\r\n\r\n").dropFirst(9).prefix(3)
        }
        #expect(try status("GET http://evil.example/page.html HTTP/1.1", "Host: localhost\r\n") == "421")
        #expect(try status("GET http://localhost/page.html HTTP/1.1", "Host: evil.example\r\n") == "200")
        #expect(try status("GET /page.html HTTP/1.0", "") == "200")
        #expect(try status("GET /page.html HTTP/1.1", "") == "400")
      }
    }
  }

  private static let files: StaticFiles = {
    var files = StaticFiles()
    files.add("page.html", Array("<p>A page</p>".utf8))
    return files
  }()

  @Test func hosts_areThoseOfTheSettings() async throws {
    try await withServer({
      $0.publicURL = "https://app.example.com/"
      $0.hosts = ["other.example", "*.example.org"]
    }) { _, url in
      try await blocking { () throws in
        for host in ["app.example.com", "other.example:8080", "a.b.example.org"] {
          #expect(try Self.statuses(url, ["Host: \(host)"]) == Self.letIn, "\(host)")
        }
        for host in ["localhost", "example.org", "example.com", "evil.example"] {
          #expect(try Self.statuses(url, ["Host: \(host)"]) == [421, 421], "\(host)")
        }
        let told = try Self.makeSession(url, ["Host: evil.example"])
        #expect(told.contains("evil.example") && told.contains("publicURL") && told.contains("hosts"))
      }
    }
    try await withServer({ $0.hosts = ["*"] }) { _, url in
      try await blocking { () throws in #expect(try Self.statuses(url, ["Host: evil.example"]) == Self.letIn) }
    }
  }

  /// Where a server listens for others as well, it cannot know what it is called.
  @Test func serverForOthers_answersToAnyName() async throws {
    try await withServer({ $0.host = "0.0.0.0" }) { _, url in
      try await blocking { () throws in
        let own = url.replacing("0.0.0.0", with: "127.0.0.1")
        #expect(try Self.statuses(own, ["Host: app.example.com", "Origin: https://app.example.com"]) == Self.letIn)
        #expect(try Self.statuses(own, ["Host: app.example.com", "Origin: https://evil.example"]) == [403, 403])
      }
    }
  }

  // MARK: Origins

  @Test(arguments: [
    (["Origin: https://evil.example"], 403), (["Origin: null"], 403), (["Origin: http://localhost:1"], 403),
    (["Origin: http://localhost"], 0),
    (["Origin: https://localhost"], 403), (["Origin: HTTP://LOCALHOST:8080"], 0),
    (["Origin: http://localhost.evil.example:8080"], 403),
    (["Origin: "], 400), (["Origin: localhost:8080"], 400), (["Origin: http://localhost:8080/"], 400),
    (["Origin: http://user@localhost:8080"], 400),
    (["Origin: http://localhost:8080", "Origin: http://localhost:8080"], 400),
    (["Origin: https://evil.example", "Origin: http://localhost:8080"], 400),
    (["Origin: http://bücher.example"], 400), (["Sec-Fetch-Site: cross-site"], 403),
    (["Sec-Fetch-Site: same-site"], 403),
    (["Sec-Fetch-Site: same-origin"], 0), (["Sec-Fetch-Site: none"], 0), ([], 0),
  ])
  func pageOfAnother_isForbidden(_ fields: [String], _ status: Int) async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        // Of the default port, so that both ways to write it are tried.
        let host = fields.contains("Origin: http://localhost") ? "localhost:80" : "localhost:8080"
        #expect(try Self.statuses(url, ["Host: \(host)"] + fields) == (status == 0 ? Self.letIn : [status, status]))
      }
    }
  }

  @Test func origins_areThoseOfTheSettings() async throws {
    try await withServer({
      $0.publicURL = "https://app.example.com"
      $0.origins = ["https://other.example:8443", "https://*.example.org"]
      $0.hosts = ["*"]
    }) { _, url in
      try await blocking { () throws in
        let statuses = { (origin: String) in try Self.statuses(url, ["Host: app.example.com", "Origin: \(origin)"]) }
        for origin in ["https://app.example.com", "https://other.example:8443", "https://a.b.example.org"] {
          #expect(try statuses(origin) == Self.letIn, "\(origin)")
        }
        // Where it is known where browsers see the server, the host of the request says nothing.
        for origin in [
          "http://app.example.com", "https://app.example.com:8443", "https://other.example", "https://example.org",
          "https://evil-example.org",
          "https://app.example.com.evil.example",
        ] {
          #expect(try statuses(origin) == [403, 403], "\(origin)")
        }
        #expect(try Self.statuses(url, ["Host: evil.example", "Origin: https://evil.example"]) == [403, 403])
        let told = try Self.makeSession(url, ["Host: app.example.com", "Origin: https://third.example"])
        #expect(told.contains("set publicURL to https://third.example, or add it to origins"))
      }
    }
    try await withServer({ $0.origins = ["*"] }) { _, url in
      try await blocking { () throws in
        for origin in ["https://evil.example", "null"] {
          #expect(try Self.statuses(url, ["Host: localhost", "Origin: \(origin)"]) == Self.letIn)
        }
      }
    }
  }

  /// A form of any page, or a script's simple request, needs no leave of a browser's.
  @Test func bodyThatIsNoJSON_isNotTakenFromAPage() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let status = { (fields: [String]) in
          try Self.makeSession(url, ["Host: localhost"] + fields).dropFirst(9).prefix(3)
        }
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/riblet+json"] {
          #expect(try status(["Content-Type: \(type)", "Origin: http://localhost"]) == "201", "\(type)")
        }
        for type in ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/json"]
        {
          #expect(try status(["Content-Type: \(type)", "Origin: http://localhost"]) == "415", "\(type)")
          #expect(try status(["Content-Type: \(type)", "Sec-Fetch-Site: same-origin"]) == "415", "\(type)")
        }
        #expect(try status(["Content-Type: text/plain"]) == "415")
        // As curl says by itself.
        #expect(try status(["Content-Type: application/x-www-form-urlencoded"]) == "201")
      }
    }
  }

  // MARK: CORS

  private static let listed = ["Host: api.example.com", "Origin: https://app.example.com"]

  /// Runs a server for pages of another origin, with a client's session.
  private func withListedOrigin(
    _ body: @escaping @Sendable (_ url: String, _ client: TwinClient) throws -> Void
  ) async throws {
    try await withServer(
      files: Self.files,
      {
        $0.origins = ["https://app.example.com"]
        $0.hosts = ["*"]
      }
    ) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        try body(url, client)
      }
    }
  }

  /// Also errors: a page that may not read one sees a broken network.
  @Test func answersOfEveryKind_mayBeReadByAListedPage() async throws {
    try await withListedOrigin { url, client in
      let session = "/v1/sessions/\(client.sessionID)"
      let token = "Authorization: Bearer \(client.token)"
      let asked: [(String, [String], String, Int)] = [
        ("GET /healthz", [], "", 200), ("GET /page.html", [], "", 200), ("GET /v1/apps", [], "", 200),
        ("GET /nowhere", [], "", 404),
        ("PUT /v1/apps", [], "", 405), ("POST /v1/sessions", [], #"{"app":"counter"}"#, 201),
        ("POST /v1/sessions", [], "{", 400),
        ("POST /v1/sessions", ["Content-Type: text/plain"], "{}", 415), ("GET \(session)/view", [], "", 401),
        ("GET \(session)/view", [token], "", 200),
        ("POST \(session)/actions", [token, #"Idempotency-Key: "7""#], #"{"to":"","a":"reset"}"#, 409),
        ("POST \(session)/actions", [token, #"Idempotency-Key: "1""#], #"{"to":"","a":"reset"}"#, 200),
        ("DELETE \(session)", [token], "", 204),
        ("GET \(session)/events", [token], "", 404),
      ]
      for (line, fields, body, status) in asked {
        let text = try Self.ask(url, line, Self.listed + fields, body: body)
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(line): \(text)")
        #expect(text.contains("\r\nAccess-Control-Allow-Origin: https://app.example.com\r\n"), "\(line)")
        #expect(text.contains("\r\nAccess-Control-Expose-Headers: ETag, Location, Retry-After\r\n"), "\(line)")
        #expect(text.contains("\r\nVary: Origin\r\n") && !text.contains("Allow-Credentials"), "\(line)")
      }
    }
  }

  /// What depends on the origin says so, also to who has none.
  @Test func answersToOthers_mayBeReadByNoOtherPage() async throws {
    try await withListedOrigin { url, _ in
      for fields in [["Origin: https://evil.example"], ["Origin: null"], []] {
        let text = try Self.ask(url, "GET /page.html", ["Host: api.example.com"] + fields)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("\r\nVary: Origin\r\n"))
        #expect(!text.contains("Access-Control-Allow-Origin"))
      }
      let refused = try Self.ask(
        url, "POST /v1/sessions", ["Host: api.example.com", "Origin: https://evil.example"], body: "{}")
      #expect(refused.hasPrefix("HTTP/1.1 403 ") && !refused.contains("Access-Control-Allow-Origin"))
    }
    try await withServer { _, url in
      try await blocking { () throws in
        #expect(try !Self.ask(url, "GET /healthz", ["Host: localhost"]).contains("Vary"))
      }
    }
  }

  @Test func knownFile_isNotSentAgain_andMayBeRead() async throws {
    try await withListedOrigin { url, _ in
      let first = try Self.ask(url, "GET /page.html", Self.listed)
      let tag = try #require(first.firstMatch(of: #/ETag: (".*")\r\n/#)).1
      let again = try Self.ask(url, "GET /page.html", Self.listed + ["If-None-Match: \(tag)"])
      #expect(again.hasPrefix("HTTP/1.1 304 ") && again.contains("\r\nVary: Origin\r\n"))
      #expect(again.contains("Access-Control-Allow-Origin: https://app.example.com\r\n"))
    }
  }

  @Test func preflight_saysWhatAPageMayDo_withoutAnyToken() async throws {
    try await withListedOrigin { url, client in
      let ask = { (path: String, origin: String) in
        try Self.ask(
          url, "OPTIONS \(path)",
          [
            "Host: api.example.com", "Origin: \(origin)", "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: authorization, content-type, idempotency-key",
          ])
      }
      let methods = [
        "/v1/sessions": "POST, OPTIONS", "/v1/sessions/\(client.sessionID)": "DELETE, OPTIONS",
        "/v1/sessions/\(client.sessionID)/actions": "POST, OPTIONS",
        "/v1/sessions/\(client.sessionID)/view": "GET, HEAD, OPTIONS",
        // It learns by asking that nothing is there.
        "/nowhere": "GET, HEAD, POST, DELETE, OPTIONS",
      ]
      for (path, methods) in methods {
        let text = try ask(path, "https://app.example.com")
        #expect(text.hasPrefix("HTTP/1.1 204 "), "\(path): \(text)")
        for line in [
          "Access-Control-Allow-Origin: https://app.example.com", "Access-Control-Allow-Methods: \(methods)",
          "Access-Control-Max-Age: 600", "Vary: Access-Control-Request-Method, Access-Control-Request-Headers",
          "Vary: Origin",
          "Access-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Riblet-Token, Riblet-Try",
        ] {
          #expect(text.contains("\r\n\(line)\r\n"), "\(path): \(line)")
        }
        let refused = try ask(path, "https://evil.example")
        #expect(refused.hasPrefix("HTTP/1.1 403 ") && !refused.contains("Access-Control"))
      }
      // Without what makes it a preflight it is about the path.
      #expect(try Self.ask(url, "OPTIONS /nowhere", Self.listed).hasPrefix("HTTP/1.1 404 "))
    }
  }

  @Test func eventsOfAListedPage_mayBeRead_andAreKeptBackByNobody() async throws {
    try await withListedOrigin { url, client in
      let socket = try CurlSocket(url: url)
      let head =
        ["GET /v1/sessions/\(client.sessionID)/events HTTP/1.1"] + Self.listed + [
          "Authorization: Bearer \(client.token)", "", "",
        ]
      try socket.send(Array(head.joined(separator: "\r\n").utf8))
      var buffer = ReceiveBuffer()
      while !buffer.text.contains("data: "), try socket.receive(into: &buffer) {}
      for line in [
        "Content-Type: text/event-stream", "Cache-Control: no-store, no-transform", "X-Accel-Buffering: no",
        "Vary: Origin",
        "Access-Control-Allow-Origin: https://app.example.com",
      ] {
        #expect(buffer.text.contains("\r\n\(line)\r\n"), "\(line)")
      }
    }
  }

  // MARK: Proxies

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

  // MARK: Budgets

  /// Seven connections that begin sessions as fast as they can do not keep others out, nor the server full.
  @Test func placeThatBeginsManySessions_isToldToComeBackLater_andNobodyElse() async throws {
    try await withServer({ $0.limits.newSessionsPerMinute = 20 }) { server, url in
      try await blocking { () throws in
        let made = { (client: String, count: Int) in
          let body = #"{"app":"counter"}"#
          let request =
            "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\nContent-Length: \(body.utf8.count)\r\n"
          let text = try Self.exchange(
            url,
            String(repeating: "\(request)\r\n\(body)", count: count - 1) + "\(request)Connection: close\r\n\r\n\(body)")
          return ["201", "429"].map { text.ranges(of: "HTTP/1.1 \($0) ").count } + [
            text.ranges(of: "Retry-After: 3\r\n").count
          ]
        }
        // A network of IPv6 is one place, whatever its last 64 bits are.
        let first = try (1...7).map { try made("2001:db8:1:2::\($0)", 10) }
        #expect(first.map { $0[0] }.reduce(0, +) >= 20 && first.map { $0[0] }.reduce(0, +) <= 30, "\(first)")
        #expect(first.map { $0[0] + $0[1] }.reduce(0, +) == 70 && first.allSatisfy { $0[1] == $0[2] })
        #expect(try made("2001:db8:1:3::1", 10)[0] == 10)
        #expect(try made("203.0.113.9", 10)[0] == 10)
        // The same by WebSocket, and who has no address but this machine's has no limit.
        let socket = try CurlWebSocket(url: url, headers: ["X-Forwarded-For": "2001:db8:1:2::9"])
        try socket.send(#"{"t":"hello","app":"counter"}"#)
        let said = try socket.text()
        #expect(said?.hasPrefix(#"{"t":"bye","code":"quota","message":"#) == true)
        #expect(
          try (1...50).allSatisfy { _ in try Self.makeSession(url, ["Host: localhost"]).hasPrefix("HTTP/1.1 201 ") })
      }
    }
  }

  // MARK: Connections of proxies

  /// Says the status of each answer.
  private static func statuses(of text: String) -> [String] {
    text.matches(of: #/HTTP\/1\.1 (\d{3}) /#).map { String($0.1) }
  }

  /// What a client of a proxy asks for, whose connection others use as well.
  private static func request(_ line: String, for client: String, _ fields: [String] = [], body: String = "") -> String
  {
    let head = [
      "\(line) HTTP/1.1", "Host: localhost", "X-Forwarded-For: \(client)", "Content-Length: \(body.utf8.count)",
    ]
    return (head + fields + ["", ""]).joined(separator: "\r\n") + body
  }

  private static let upgrade = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: riblet.v1.json",
  ]

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
          Self.request("GET /v1/sessions/x/events", for: client, ["Authorization: Bearer x"])
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

  /// What a page may read is said of each answer anew.
  @Test func answersOnOneConnection_mayBeReadByTheirOwnPages() async throws {
    try await withListedOrigin { url, _ in
      let lines = ["GET /healthz", "GET /nowhere", "POST /v1/sessions", "GET /healthz"]
      let origins = [
        "Origin: https://app.example.com", "", "Origin: https://app.example.com", "Origin: https://evil.example",
      ]
      let text = try Self.exchange(
        url,
        zip(lines, origins).map { line, origin in
          "\(line) HTTP/1.1\r\nHost: api.example.com\r\n\(origin.isEmpty ? "" : origin + "\r\n")Content-Length: 0\r\n\r\n"
        }.joined() + "BAD\r\n\r\n")
      let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst()
      #expect(answers.map { $0.prefix(3) } == ["200", "404", "400", "200", "400"])
      #expect(answers.map { $0.contains("Access-Control-Allow-Origin") } == [true, false, true, false, false])
    }
  }

  /// A server whose connections come from elsewhere, as it is told.
  private func from(_ address: String) -> Environment {
    var environment = Environment.system
    environment.sockets.caller = { _ in Caller(address: IPAddress(text: address)) }
    return environment
  }

  @Test func connectionsOfAStranger_areCountedAsTheyCome() async throws {
    try await withServer(environment: from("203.0.113.9"), { $0.limits.connectionsPerAddress = 2 }) { server, url in
      try await blocking { () throws in
        let sockets = try (1...2).map { _ in try CurlWebSocket.counter(url) }
        #expect(try Self.ask(url, "GET /healthz", ["Host: localhost"]).hasPrefix("HTTP/1.1 503 "))
        withExtendedLifetime(sockets) {}
      }
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

  // MARK: Every way in

  /// Whatever changes something is for a page that may.
  @Test func requestOfAForeignPage_isForbidden_whateverItIs() async throws {
    try await withServer({ $0.echo = true }) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        let token = "Authorization: Bearer \(client.token)"
        let session = "/v1/sessions/\(client.sessionID)"
        for page in ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"] {
          let fields = ["Host: localhost", page, token]
          for (line, more) in [
            ("DELETE \(session)", []), ("POST \(session)/actions", [#"Idempotency-Key: "1""#]),
            ("OPTIONS \(session)", []),
            ("GET /echo", Self.upgrade), ("GET /v1/socket", Self.upgrade),
          ] {
            let text = try Self.exchange(
              url,
              (["\(line) HTTP/1.1"] + fields + more + ["Content-Length: 0", "", ""]).joined(separator: "\r\n")
                + "BAD\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 403 "), "\(line): \(text)")
          }
          // It may look, as it cannot see what it is shown.
          #expect(try Self.ask(url, "GET \(session)/view", fields).hasPrefix("HTTP/1.1 200 "))
        }
        // Nothing has happened.
        #expect(try client.view().body.contains(#""count":0"#))
      }
    }
  }

  // MARK: What strangers have kept

  private struct Anything: Decodable, Sendable {}

  /// What nobody reads is not kept, and what is kept is bounded.
  @Test func params_areKeptOfAppsThatTakeSome_andNoMoreThanTheyMay() async throws {
    let directory = try TemporaryDirectory()
    let apps = [App("counter") { Counter() }, App("linked", parameters: Anything.self) { _ in Counter() }]
    try await withServer(
      apps: apps,
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        $0.limits.paramsBytes = 1_000
      }
    ) { _, url in
      try await blocking { () throws in
        let begin = { (app: String, length: Int) in
          let params = #"{"x":"\#(String(repeating: "x", count: length - 8))"}"#
          return try TwinClient(url).create(#"{"app":"\#(app)","params":\#(params)}"#)
        }
        #expect(try begin("linked", 1_000).status == 201)
        let long = try begin("linked", 1_001)
        #expect(long.isProblem(400) && long.body.contains("1000 bytes"))
        #expect(try begin("counter", 60_000).status == 201)
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"linked","params":{"x":"\#(String(repeating: "x", count: 1_000))"}}"#)
        #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"bad_message","#) == true)
      }
    }
    let file = try DatabaseQueue(path: directory.store)
    let kept = try await file.read { try Int?.fetchAll($0, sql: "SELECT length(parameters) FROM session ORDER BY app") }
    #expect(kept == [nil, 1_000])
  }
}
