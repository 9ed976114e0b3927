import CurlTransport
import Foundation
import RibServer
import Testing
import WireHTTP

/// Who is let in: hosts, origins, what pages may read, and whom proxies speak for; over real sockets.
@Suite struct GateTests {
  /// Sends requests, and reads until the server closes.
  static func exchange(_ url: String, _ text: String) throws -> String {
    let socket = try CurlSocket(url: url)
    try socket.send(Array(text.utf8))
    var buffer = ReceiveBuffer()
    while (try? socket.receive(into: &buffer)) == true {}
    return buffer.text
  }

  /// What a request with such fields is answered.
  static func ask(_ url: String, _ line: String, _ fields: [String], body: String = "") throws -> String {
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let head = [line + " HTTP/1.1"] + fields + length + ["Connection: close", "", ""]
    return try exchange(url, head.joined(separator: "\r\n") + body)
  }

  static func makeSession(_ url: String, _ fields: [String]) throws -> String {
    try ask(url, "POST /v1/sessions", fields, body: #"{"app":"counter"}"#)
  }

  static func openSocket(_ url: String, _ fields: [String]) throws -> String {
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
  static func statuses(_ url: String, _ fields: [String]) throws -> [Int] {
    try [openSocket(url, fields), makeSession(url, fields)].map { text in
      Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
    }
  }

  static let letIn = [101, 201]

  static let files: StaticFiles = {
    var files = StaticFiles()
    files.add("page.html", Array("<p>A page</p>".utf8))
    return files
  }()

  static let listed = ["Host: api.example.com", "Origin: https://app.example.com"]

  /// Runs a server for pages of another origin, with a client's session.
  func withListedOrigin(
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

  /// Says the status of each answer.
  static func statuses(of text: String) -> [String] {
    text.matches(of: #/HTTP\/1\.1 (\d{3}) /#).map { String($0.1) }
  }

  /// What a client of a proxy asks for, whose connection others use as well.
  static func request(_ line: String, for client: String, _ fields: [String] = [], body: String = "") -> String {
    let head = [
      "\(line) HTTP/1.1", "Host: localhost", "X-Forwarded-For: \(client)", "Content-Length: \(body.utf8.count)",
    ]
    return (head + fields + ["", ""]).joined(separator: "\r\n") + body
  }

  static let upgrade = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: riblet.v1.json",
  ]

  /// A server whose connections come from elsewhere, as it is told.
  func from(_ address: String) -> Environment {
    var environment = Environment.system
    environment.sockets.caller = { _ in Caller(address: IPAddress(text: address)) }
    return environment
  }
}
