import Testing

@testable import WireHTTP

@Suite("RFC 9112 §4 Reading responses")
struct ResponseReaderTests {
  static let accepted: [(line: String, status: Int, reason: String, minorVersion: Int)] = [
    ("HTTP/1.1 200 OK", 200, "OK", 1),
    ("HTTP/1.0 404 Not Found", 404, "Not Found", 0),
    ("HTTP/1.1 101 Switching Protocols", 101, "Switching Protocols", 1),
    ("HTTP/1.1 204 ", 204, "", 1),
    ("HTTP/1.1 599 \tx \u{C3}\u{A9}", 599, "\tx \u{FFFD}", 1),
    ("HTTP/1.1 100 Continue", 100, "Continue", 1),
  ]

  @Test("each part of the status line is read", arguments: accepted)
  func statusLine_isRead(line: String, status: Int, reason: String, minorVersion: Int) throws {
    let head = try ResponseReader.accept(wireBytes("\(line)\r\nContent-Length: 3\r\nA: b\r\n\r\n"))
    let expected = ResponseHead(
      status: HTTPStatus(rawValue: status), reason: reason, minorVersion: minorVersion,
      headers: ["Content-Length": "3", "A": "b"], contentLength: 3)
    #expect(head == expected)
  }

  @Test("a response may have no fields")
  func response_mayHaveNoFields() throws {
    let head = try ResponseReader.accept(wireBytes("HTTP/1.1 200 OK\r\n\r\n"))
    #expect(head.headers.count == 0)
    #expect(head.contentLength == nil)
  }

  @Test(
    "what is malformed is refused",
    arguments: [
      Refusal(.badRequest, "\r\nHTTP/1.1 200 OK"),
      Refusal(.badRequest, "HTTP/1.1"),
      Refusal(.badRequest, "HTTP/1.1 200"),
      Refusal(.badRequest, "HTTP/1.1  200 OK"),
      Refusal(.badRequest, " HTTP/1.1 200 OK"),
      Refusal(.badRequest, "HTTP/1.1 20 OK"),
      Refusal(.badRequest, "HTTP/1.1 2000 OK"),
      Refusal(.badRequest, "HTTP/1.1 0200 OK"),
      Refusal(.badRequest, "HTTP/1.1 099 OK"),
      Refusal(.badRequest, "HTTP/1.1 -10 OK"),
      Refusal(.badRequest, "HTTP/1.1 600 OK"),
      Refusal(.badRequest, "HTTP/1.1 +20 OK"),
      Refusal(.badRequest, "HTTP/1.1 2x0 OK"),
      Refusal(.badRequest, "HTTP/1.1 200 O\u{0}K"),
      Refusal(.badRequest, "HTTP/1.1 200 O\rK"),
      Refusal(.badRequest, "HTTP/1.1 200 OK\nA: b"),
      Refusal(.badRequest, "ICY 200 OK"),
      Refusal(.badRequest, "HTTP/2 200 OK"),
      Refusal(.httpVersionNotSupported, "HTTP/2.0 200 OK"),
      Refusal(.badRequest, "HTTP/1.1 200 OK\r\nA : b"),
      Refusal(.badRequest, "HTTP/1.1 200 OK\r\n A: b"),
      Refusal(.badRequest, "HTTP/1.1 200 OK\r\nContent-Length: x"),
      Refusal(.badRequest, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2"),
      Refusal(.contentTooLarge, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808"),
    ])
  func malformedResponse_isRefused(row: Refusal) throws {
    #expect(try ResponseReader.refuse(wireBytes(row.text + "\r\n\r\n")).status == row.status)
  }

  static let tooLarge: [(limits: HTTPLimits, status: HTTPStatus)] = [
    (HTTPLimits(requestLineBytes: 16), .badRequest),
    (HTTPLimits(headerBytes: 7), .requestHeaderFieldsTooLarge),
    (HTTPLimits(headerCount: 0), .requestHeaderFieldsTooLarge),
  ]

  @Test("one byte or one field above a limit is refused", arguments: tooLarge)
  func responseAboveALimit_isRefused(limits: HTTPLimits, status: HTTPStatus) throws {
    let input = wireBytes("HTTP/1.1 200 OK\r\nA: b\r\n\r\n")
    #expect(try ResponseReader.refuse(input, limits: limits).status == status)
    let enough = HTTPLimits(requestLineBytes: 17, headerBytes: 8, headerCount: 1)
    #expect(try ResponseReader.accept(input, limits: enough).status == .ok)
  }
}
