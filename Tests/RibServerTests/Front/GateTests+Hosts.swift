import CurlTransport
import Foundation
import RibServer
import Testing
import WireHTTP

extension GateTests {
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
}
