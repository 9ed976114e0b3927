import CurlTransport
import Foundation
import RibServer
import Testing
import WireHTTP

extension GateTests {
  /// Also errors: a page that may not read one sees a broken network.
  @Test func answersOfEveryKind_mayBeReadByAListedPage() async throws {
    try await withListedOrigin { url, client in
      let session = "/v1/sessions/\(client.sessionID)"
      let token = "Riblet-Token: \(client.token)"
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
        #expect(
          text.contains("\r\nAccess-Control-Expose-Headers: ETag, Location, Retry-After, WWW-Authenticate\r\n"),
          "\(line)")
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
        "/nowhere": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
      ]
      for (path, methods) in methods {
        let text = try ask(path, "https://app.example.com")
        #expect(text.hasPrefix("HTTP/1.1 204 "), "\(path): \(text)")
        for line in [
          "Access-Control-Allow-Origin: https://app.example.com", "Access-Control-Allow-Methods: \(methods)",
          "Access-Control-Max-Age: 600", "Vary: Access-Control-Request-Method, Access-Control-Request-Headers",
          "Vary: Origin",
          "Access-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Riblet-Features, Riblet-Token, Riblet-Try",
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
          "Riblet-Token: \(client.token)", "", "",
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
}
