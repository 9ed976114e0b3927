import Testing

@testable import WireHTTP

@Suite("RFC 6455 §4.2 Server's side of the handshake")
struct WebSocketHandshakeServerTests {
  /// RFC 6455 §1.3's request, with other values for some fields; an empty one removes the field.
  private static func head(
    requestLine: String = "GET /chat HTTP/1.1", _ changes: [String: String] = [:]
  ) throws -> RequestHead {
    var values = [
      "Host": "server.example.com", "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Key": WebSocketHandshakeTests.sampleKey, "Sec-WebSocket-Version": "13",
    ]
    for (name, value) in changes { values[name] = value.isEmpty ? nil : value }
    let fields = values.map { name, value in "\(name): \(value)\r\n" }
    return try RequestReader.accept(wireBytes("\(requestLine)\r\n\(fields.joined())\r\n"))
  }

  @Test("§1.3: the RFC's sample")
  func sample_isAnswered() throws {
    let head = try Self.head(["Sec-WebSocket-Protocol": "chat, superchat", "Origin": "http://example.com"])
    let (response, subprotocol, _) = try WebSocketHandshake.answer(head, subprotocols: ["superchat", "chat"])
    #expect(subprotocol == "chat")
    #expect(response.status == .switchingProtocols)
    #expect(
      response.headers == [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketHandshakeTests.sampleAccept,
        "Sec-WebSocket-Protocol": "chat",
      ])
  }

  static let accepted: [(name: String, value: String)] = [
    ("Upgrade", "WebSocket"),
    ("Upgrade", "h2c, websocket"),
    ("Connection", "keep-alive, upgrade"),
    ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
    ("Content-Length", "0"),
    ("Sec-WebSocket-Protocol", ","),
  ]

  @Test("§4.2.1: what browsers and proxies vary is accepted", arguments: accepted)
  func variation_isAccepted(name: String, value: String) throws {
    let (response, subprotocol, _) = try WebSocketHandshake.answer(try Self.head([name: value]), subprotocols: ["a"])
    #expect(subprotocol == nil)
    #expect(response.headers["Sec-WebSocket-Protocol"] == nil)
    #expect(response.headers["Sec-WebSocket-Extensions"] == nil)
  }

  static let refused: [(status: HTTPStatus, name: String, value: String)] = [
    (.upgradeRequired, "Upgrade", ""),
    (.upgradeRequired, "Upgrade", "h2c"),
    (.upgradeRequired, "Upgrade", "websocket/13"),
    (.badRequest, "Connection", ""),
    (.badRequest, "Connection", "keep-alive"),
    (.badRequest, "Content-Length", "1"),
    (.badRequest, "Transfer-Encoding", "chunked"),
    (.upgradeRequired, "Sec-WebSocket-Version", ""),
    (.upgradeRequired, "Sec-WebSocket-Version", "8"),
    (.upgradeRequired, "Sec-WebSocket-Version", "013"),
    (.upgradeRequired, "Sec-WebSocket-Version", "13, 8"),
    (.upgradeRequired, "Sec-WebSocket-Version", "13\r\nSec-WebSocket-Version: 13"),
    (.badRequest, "Sec-WebSocket-Key", ""),
    (.badRequest, "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAA"),
    (.badRequest, "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAAA="),
    (.badRequest, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ"),
    (.badRequest, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZR=="),
    (.badRequest, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
    (.badRequest, "Sec-WebSocket-Protocol", "b"),
    (.badRequest, "Sec-WebSocket-Protocol", "A"),
    (.badRequest, "Sec-WebSocket-Protocol", "b, c"),
    (.badRequest, "Sec-WebSocket-Protocol", "a, b c"),
    (.badRequest, "Sec-WebSocket-Protocol", "a, \u{E9}"),
    (.badRequest, "Sec-WebSocket-Extensions", "permessage-deflate;"),
    (.badRequest, "Sec-WebSocket-Extensions", "permessage-deflate\r\nSec-WebSocket-Extensions: a b"),
  ]

  @Test("§4.2.2: any other request is refused", arguments: refused)
  func otherRequest_isRefused(status: HTTPStatus, name: String, value: String) throws {
    let head = try Self.head([name: value])
    let error = #expect(throws: HTTPError.self) { try WebSocketHandshake.answer(head, subprotocols: ["a"]) }
    #expect(error?.status == status)
  }

  @Test("§4.1: the request is a GET", arguments: ["POST", "get", "HEAD"])
  func otherMethod_isRefused(method: String) throws {
    let head = try Self.head(requestLine: "\(method) /chat HTTP/1.1")
    let error = #expect(throws: HTTPError.self) { try WebSocketHandshake.answer(head, subprotocols: []) }
    #expect(error?.status == .methodNotAllowed)
    #expect(error?.headers == ["Allow": "GET"])
  }

  @Test("RFC 9110 §7.8: HTTP/1.0 cannot upgrade")
  func http10_isRefused() throws {
    let head = try Self.head(requestLine: "GET /chat HTTP/1.0")
    let error = #expect(throws: HTTPError.self) { try WebSocketHandshake.answer(head, subprotocols: []) }
    #expect(error?.status == .badRequest)
  }

  @Test("§4.4: the answer to another version names this one")
  func otherVersion_isToldThisOne() throws {
    let head = try Self.head(["Sec-WebSocket-Version": "25"])
    let error = try #require(throws: HTTPError.self) { try WebSocketHandshake.answer(head, subprotocols: []) }
    var bytes: [UInt8] = []
    Response(problem: error).write(into: &bytes, keepAlive: false, omitBody: true)
    let answer = try ResponseReader.accept(bytes)
    #expect(answer.status == .upgradeRequired)
    #expect(answer.headers.values(for: "Sec-WebSocket-Version") == ["13"])
    #expect(answer.headers.contains(token: "websocket", in: "Upgrade"))
    #expect(answer.headers.contains(token: "upgrade", in: "Connection"))
    #expect(answer.headers.contains(token: "close", in: "Connection"))
  }

  @Test("the refusal of unknown subprotocols lists the known ones")
  func unknownSubprotocols_areToldTheKnownOnes() throws {
    let head = try Self.head(["Sec-WebSocket-Protocol": "x"])
    let error = #expect(throws: HTTPError.self) {
      try WebSocketHandshake.answer(head, subprotocols: ["riblet.v1.json", "riblet.v2"])
    }
    #expect(error?.reason.contains("riblet.v1.json, riblet.v2") == true)
  }

  @Test("where no subprotocol is spoken, any client gets none")
  func serverWithoutSubprotocols_takesAnyClient() throws {
    let head = try Self.head(["Sec-WebSocket-Protocol": "x"])
    let (response, subprotocol, _) = try WebSocketHandshake.answer(head, subprotocols: [])
    #expect(subprotocol == nil)
    #expect(response.headers["Sec-WebSocket-Protocol"] == nil)
  }

  @Test("§11.3.2: offers of compression may be spread over several fields, and the first that fits is accepted")
  func compression_isAnswered() throws {
    let offers = "permessage-deflate; unknown\r\nSec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9"
    let head = try Self.head(["Sec-WebSocket-Extensions": offers])
    let (response, _, agreement) = try WebSocketHandshake.answer(
      head, subprotocols: [], compression: PerMessageDeflate.Policy())
    #expect(agreement?.server == PerMessageDeflate.Direction(keepsContext: false, windowBits: 9))
    #expect(
      response.headers.values(for: "Sec-WebSocket-Extensions") == [
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9"
      ])
  }

  @Test("§11.3.4: an offer may be spread over several fields")
  func offer_mayBeSpread() throws {
    let head = try Self.head(["Sec-WebSocket-Protocol": "x\r\nSec-WebSocket-Protocol: b, a"])
    #expect(try WebSocketHandshake.answer(head, subprotocols: ["a", "b"]).subprotocol == "b")
  }
}
