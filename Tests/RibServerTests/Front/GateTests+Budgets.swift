import CurlTransport
import Foundation
import GRDB
import RibServer
import RibTestSupport
import Testing
import WireHTTP

@testable import Showcase

extension GateTests {
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
