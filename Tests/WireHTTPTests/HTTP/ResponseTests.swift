import Testing

@testable import WireHTTP

@Suite("RFC 9110 §15 and RFC 9457 Writing responses")
struct ResponseTests {
  private static func text(_ response: Response, keepAlive: Bool = true, omitBody: Bool = false) -> String {
    var bytes = Array("before|".utf8)
    response.write(into: &bytes, keepAlive: keepAlive, omitBody: omitBody)
    return String(decoding: bytes, as: UTF8.self)
  }

  static let body = Array("hello".utf8)

  static let written: [(response: Response, keepAlive: Bool, omitBody: Bool, text: String)] = [
    (Response(status: .ok), true, false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    (
      Response(status: .ok, headers: ["A": "b", "a": "c"], body: body), true, false,
      "HTTP/1.1 200 OK\r\nA: b\r\na: c\r\nContent-Length: 5\r\n\r\nhello"
    ),
    (Response(status: .ok, body: body), true, true, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
    (
      Response(status: .notFound), false, false,
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ),
    (Response(status: .noContent, body: body), true, false, "HTTP/1.1 204 No Content\r\n\r\n"),
    (Response(status: HTTPStatus(rawValue: 304), body: body), true, false, "HTTP/1.1 304 Not Modified\r\n\r\n"),
    (
      Response(status: HTTPStatus(rawValue: 205), body: body), true, false,
      "HTTP/1.1 205 \r\nContent-Length: 0\r\n\r\n"
    ),
    (Response(status: .noContent), false, false, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    (
      Response(status: .switchingProtocols, headers: ["Connection": "Upgrade"], body: body), false, false,
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n"
    ),
    (
      Response(status: .ok, headers: ["content-length": "9", "Transfer-Encoding": "chunked"], body: body), true, false,
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    ),
    (
      Response(status: .ok, headers: ["A": "b\r\nC: d\u{0}\t\u{E9}\u{7F}"]), true, false,
      "HTTP/1.1 200 OK\r\nA: b  C: d \t\u{E9} \r\nContent-Length: 0\r\n\r\n"
    ),
    (Response(status: HTTPStatus(rawValue: 418)), true, false, "HTTP/1.1 418 \r\nContent-Length: 0\r\n\r\n"),
  ]

  @Test("status line, fields, size and body are written", arguments: written.indices)
  func response_isWritten(row: Int) throws {
    let (response, keepAlive, omitBody, text) = Self.written[row]
    #expect(Self.text(response, keepAlive: keepAlive, omitBody: omitBody) == "before|" + text)
  }

  @Test("what is written can be read", arguments: written.indices)
  func writtenResponse_canBeRead(row: Int) throws {
    let (response, keepAlive, _, _) = Self.written[row]
    var bytes: [UInt8] = []
    response.write(into: &bytes, keepAlive: keepAlive, omitBody: true)
    let head = try ResponseReader.accept(bytes)
    #expect(head.status == response.status)
    #expect(head.reason == response.status.reasonPhrase)
    #expect(head.headers.contains(token: "close", in: "Connection") == (!keepAlive && response.status.rawValue != 101))
  }

  static let statuses = [
    101: "Switching Protocols", 200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large", 414: "URI Too Long",
    426: "Upgrade Required", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported", 299: "",
  ]

  @Test("a status has RFC 9110's name", arguments: statuses)
  func status_hasAName(code: Int, phrase: String) {
    #expect(HTTPStatus(rawValue: code).reasonPhrase == phrase)
  }

  @Test("RFC 9457 §3: an error is a problem document with the error's fields")
  func error_becomesAProblem() {
    let error = HTTPError(status: .methodNotAllowed, reason: "Use \"GET\"\n\u{1}\\", headers: ["Allow": "GET"])
    let response = Response(problem: error)
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers == ["Allow": "GET", "Content-Type": "application/problem+json"])
    let json = #"{"title":"Method Not Allowed","status":405,"detail":"Use \"GET\"\n\u0001\\"}"#
    #expect(String(decoding: response.body, as: UTF8.self) == json)
  }

  @Test("RFC 9457 §3.1.3: a title of one's own replaces the status's name")
  func problem_takesATitle() {
    let response = Response.problem(.notFound, title: "No session", detail: "It ended.")
    let json = #"{"title":"No session","status":404,"detail":"It ended."}"#
    #expect(String(decoding: response.body, as: UTF8.self) == json)
  }
}
