import CurlTransport
import Foundation
import RibServer
import Testing
import WireHTTP

extension GateTests {
  @Test(arguments: [
    (["Origin: https://evil.example"], 403), (["Origin: null"], 403), (["Origin: file://"], 403),
    (["Origin: http://localhost:1"], 403),
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
        for origin in ["https://evil.example", "null", "file://", "FILE://", "app://"] {
          #expect(try Self.statuses(url, ["Host: localhost", "Origin: \(origin)"]) == Self.letIn, "\(origin)")
        }
      }
    }
    // Browsers within programs say "file://" where others say "null".
    try await withServer({ $0.origins = ["null"] }) { _, url in
      try await blocking { () throws in
        for (origin, statuses) in [
          ("null", Self.letIn), ("file://", Self.letIn), ("https://evil.example", [403, 403]), ("file:", [400, 400]),
        ] {
          #expect(try Self.statuses(url, ["Host: localhost", "Origin: \(origin)"]) == statuses, "\(origin)")
        }
        #expect(
          try Self.makeSession(url, ["Host: localhost", "Origin: file://"]).contains(
            "Access-Control-Allow-Origin: file://\r\n"))
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

  /// Whatever changes something is for a page that may.
  @Test func requestOfAForeignPage_isForbidden_whateverItIs() async throws {
    try await withServer({ $0.echo = true }) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        let token = "Riblet-Token: \(client.token)"
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
}
