import Testing

@testable import WireHTTP

@Suite("RFC 9112 §3 Request line")
struct RequestLineTests {
  static let accepted: [(line: String, method: String, minorVersion: Int)] = [
    ("GET / HTTP/1.1", "GET", 1),
    ("GET / HTTP/1.0", "GET", 0),
    ("get / HTTP/1.1", "get", 1),
    ("M-SEARCH / HTTP/1.1", "M-SEARCH", 1),
    ("!#$%&'*+-.^_`|~09azAZ / HTTP/1.1", "!#$%&'*+-.^_`|~09azAZ", 1),
    ("\r\nGET / HTTP/1.1", "GET", 1),
  ]

  @Test("each part is read", arguments: accepted)
  func requestLine_isRead(line: String, method: String, minorVersion: Int) throws {
    let head = try RequestReader.accept(wireBytes(line + "\r\nHost: a\r\n\r\n"))
    #expect(head.method == method)
    #expect(head.path == "/")
    #expect(head.minorVersion == minorVersion)
  }

  @Test(
    "what is malformed is refused",
    arguments: [
      Refusal(.badRequest, "\r\n\r\nGET / HTTP/1.1"),
      Refusal(.badRequest, "GET"),
      Refusal(.badRequest, "GET /"),
      Refusal(.badRequest, "GET/ HTTP/1.1"),
      Refusal(.badRequest, " GET / HTTP/1.1"),
      Refusal(.badRequest, " / HTTP/1.1"),
      Refusal(.badRequest, "GET  / HTTP/1.1"),
      Refusal(.badRequest, "GET /  HTTP/1.1"),
      Refusal(.badRequest, "GET / HTTP/1.1 "),
      Refusal(.badRequest, "GET  HTTP/1.1"),
      Refusal(.badRequest, "GET\t/ HTTP/1.1"),
      Refusal(.badRequest, "GET /\tHTTP/1.1"),
      Refusal(.badRequest, "GET / a HTTP/1.1"),
      Refusal(.badRequest, "G(T / HTTP/1.1"),
      Refusal(.badRequest, "G\u{C9}T / HTTP/1.1"),
      Refusal(.badRequest, "G\u{0}T / HTTP/1.1"),
      Refusal(.badRequest, "GET / HTTP/1.1\u{0}"),
      Refusal(.badRequest, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1} \u{0} \u{1}"),
    ])
  func malformedRequestLine_isRefused(row: Refusal) throws {
    #expect(try RequestReader.refuse(wireBytes(row.text + "\r\nHost: a\r\n\r\n")).status == row.status)
  }

  @Test(
    "§2.3: only 1.0 and 1.1 are spoken",
    arguments: [
      Refusal(.httpVersionNotSupported, "HTTP/1.2"),
      Refusal(.httpVersionNotSupported, "HTTP/0.9"),
      Refusal(.httpVersionNotSupported, "HTTP/2.0"),
      Refusal(.httpVersionNotSupported, "HTTP/9.9"),
      Refusal(.badRequest, "HTTP/1"),
      Refusal(.badRequest, "HTTP/2"),
      Refusal(.badRequest, "HTTP/1."),
      Refusal(.badRequest, "HTTP/.1"),
      Refusal(.badRequest, "HTTP/1.10"),
      Refusal(.badRequest, "HTTP/1.1.1"),
      Refusal(.badRequest, "HTTP/01.1"),
      Refusal(.badRequest, "HTTP/1,1"),
      Refusal(.badRequest, "HTTP/x.1"),
      Refusal(.badRequest, "HTTP/1.x"),
      Refusal(.badRequest, "HTTP1.1"),
      Refusal(.badRequest, "http/1.1"),
      Refusal(.badRequest, "HTTPS/1.1"),
      Refusal(.badRequest, "HTTP/"),
      Refusal(.badRequest, "RTSP/1.0"),
    ])
  func otherVersion_isRefused(row: Refusal) throws {
    #expect(try RequestReader.refuse(wireBytes("GET / \(row.text)\r\nHost: a\r\n\r\n")).status == row.status)
  }

  @Test("RFC 9113 §3.4: HTTP/2's preface is told the version, before its second part")
  func http2Preface_isToldTheVersion() throws {
    #expect(try RequestReader.refuse(wireBytes("PRI * HTTP/2.0\r\n")).status == .httpVersionNotSupported)
  }
}
