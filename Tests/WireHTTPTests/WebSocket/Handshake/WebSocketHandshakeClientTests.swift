import Testing

@testable import WireHTTP

@Suite("RFC 6455 §4.1 Client's side of the handshake")
struct WebSocketHandshakeClientTests {
  private static func head(_ text: String) throws -> ResponseHead {
    try ResponseReader.accept(wireBytes(text + "\r\n\r\n"))
  }

  private static let start = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"
  private static let accept = "Sec-WebSocket-Accept: \(WebSocketHandshakeTests.sampleAccept)"

  @Test("the request's bytes")
  func request_isWritten() {
    let request = WebSocketHandshake.request(
      host: "[::1]:80", path: "/chat?a", key: WebSocketHandshakeTests.sampleKey, subprotocols: ["chat", "superchat"])
    let expected = """
      GET /chat?a HTTP/1.1\r
      Host: [::1]:80\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Protocol: chat, superchat\r
      \r

      """
    #expect(String(decoding: request, as: UTF8.self) == expected)
  }

  static let accepted: [(answer: String, chosen: String?)] = [
    ("\(start)\r\n\(accept)", nil),
    ("\(start)\r\n\(accept)\r\nSec-WebSocket-Protocol: b", "b"),
    ("HTTP/1.1 101 \r\nupgrade: WebSocket\r\nconnection: foo, UPGRADE\r\n\(accept)", nil),
  ]

  @Test("an answer to the key opens the connection", arguments: accepted)
  func answer_isAccepted(answer: String, chosen: String?) throws {
    let head = try Self.head(answer)
    let answer = try WebSocketHandshake.check(head, key: WebSocketHandshakeTests.sampleKey, subprotocols: ["a", "b"])
    #expect(answer.subprotocol == chosen)
  }

  static let refused: [Refusal] = [
    Refusal(.ok, "HTTP/1.1 200 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(accept)"),
    Refusal(.serviceUnavailable, "HTTP/1.1 503 Service Unavailable"),
    Refusal(HTTPStatus(rawValue: 403), "HTTP/1.1 403 Forbidden"),
    Refusal(.badRequest, "HTTP/1.0 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(accept)"),
    Refusal(.badRequest, "HTTP/1.1 101 x\r\nConnection: Upgrade\r\n\(accept)"),
    Refusal(.badRequest, "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\(accept)"),
    Refusal(.badRequest, "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\(accept)"),
    Refusal(.badRequest, "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: close\r\n\(accept)"),
    Refusal(.badRequest, start),
    Refusal(.badRequest, "\(start)\r\nSec-WebSocket-Accept: \(WebSocketHandshakeTests.sampleKey)"),
    Refusal(.badRequest, "\(start)\r\n\(accept.uppercased())"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\n\(accept)"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\nSec-WebSocket-Extensions: permessage-deflate"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\nSec-WebSocket-Extensions: permessage-deflate;"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\nSec-WebSocket-Protocol: c"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\nSec-WebSocket-Protocol: A"),
    Refusal(.badRequest, "\(start)\r\n\(accept)\r\nSec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b"),
  ]

  @Test("any other answer is refused", arguments: refused)
  func otherAnswer_isRefused(row: Refusal) throws {
    let head = try Self.head(row.text)
    let error = #expect(throws: HTTPError.self) {
      try WebSocketHandshake.check(head, key: WebSocketHandshakeTests.sampleKey, subprotocols: ["a", "b"])
    }
    #expect(error?.status == row.status)
  }

  @Test(
    "RFC 7692 §5: an answer that the offer does not allow is refused", arguments: ["x-other", "permessage-deflate"])
  func unfitCompression_isRefused(answer: String) throws {
    let head = try Self.head("\(Self.start)\r\n\(Self.accept)\r\nSec-WebSocket-Extensions: \(answer)")
    let error = #expect(throws: HTTPError.self) {
      try WebSocketHandshake.check(
        head, key: WebSocketHandshakeTests.sampleKey,
        compression: PerMessageDeflate.Offer(server: .anew, client: .takenOver))
    }
    #expect(error?.status == .badRequest)
  }

  @Test("a subprotocol where none was offered is refused")
  func unofferedSubprotocol_isRefused() throws {
    let head = try Self.head("\(Self.start)\r\n\(Self.accept)\r\nSec-WebSocket-Protocol: a")
    #expect(throws: HTTPError.self) { try WebSocketHandshake.check(head, key: WebSocketHandshakeTests.sampleKey) }
  }

  @Test("an argument that would break the request is the program's mistake")
  func request_trapsOnBadArguments() async {
    await #expect(processExitsWith: .failure) {
      _ = WebSocketHandshake.request(
        host: "a", path: "/ HTTP/1.1\r\nA: b\r\n", key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocols: [])
    }
    await #expect(processExitsWith: .failure) {
      _ = WebSocketHandshake.request(host: "a\r\nA: b", path: "/", key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocols: [])
    }
    await #expect(processExitsWith: .failure) {
      _ = WebSocketHandshake.request(host: "a", path: "/", key: "short", subprotocols: [])
    }
    await #expect(processExitsWith: .failure) {
      _ = WebSocketHandshake.request(host: "a", path: "/", key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocols: ["a b"])
    }
  }
}
