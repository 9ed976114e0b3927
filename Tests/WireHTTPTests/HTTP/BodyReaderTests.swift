import Testing

@testable import WireHTTP

@Suite("RFC 9112 §6 and §7 Bodies of requests")
struct BodyReaderTests {
  private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

  private static func fixed(_ length: Int) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
  }

  /// What comes of a request and of another one after it, in pieces of a size.
  private func bodies(_ text: String, pieces: Int, limits: HTTPLimits = .init()) throws(HTTPError) -> [String] {
    var reader = RequestReader(limits: limits)
    var buffer = ReceiveBuffer()
    var bodies: [String] = []
    var isInBody = false
    let bytes = wireBytes(text)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      buffer.receive(bytes[start..<min(start + pieces, bytes.count)])
      while true {
        if !isInBody {
          guard try reader.nextHead(from: &buffer) != nil else { break }
          isInBody = true
        }
        guard let body = try reader.nextBody(from: &buffer) else { break }
        bodies.append(String(decoding: body, as: UTF8.self))
        isInBody = false
      }
    }
    return bodies
  }

  static let accepted: [(text: String, body: String)] = [
    (fixed(0), ""), (fixed(5) + "hello", "hello"), (fixed(2) + "\r\n", "\r\n"),
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""),
    (chunked + "0\r\n\r\n", ""),
    (chunked + "5\r\nhello\r\n0\r\n\r\n", "hello"),
    (chunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
    (chunked + "a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    (chunked + "A\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
    (chunked + "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
    // §7.1.1: extensions are ignored.
    (chunked + "1;a\r\nx\r\n0\r\n\r\n", "x"), (chunked + "1;a=b;c=\"d e\"\r\nx\r\n0;last\r\n\r\n", "x"),
    (chunked + "1 ; a\r\nx\r\n0\r\n\r\n", "x"), (chunked + "1;a = b\t; c =\"\"\r\nx\r\n0\r\n\r\n", "x"),
    (chunked + "1;a=\"\\\";\u{E9}\"\r\nx\r\n0\r\n\r\n", "x"),
    // §7.1.2: so are trailer fields.
    (chunked + "1\r\nx\r\n0\r\nA: b\r\nDigest: c\r\n\r\n", "x"),
  ]

  @Test("a body ends where it is said to end, however it comes", arguments: accepted, [1, 2, 3, 7, 1000])
  func body_isRead(row: (text: String, body: String), pieces: Int) throws {
    #expect(try bodies(row.text + Self.next, pieces: pieces) == [row.body, ""])
  }

  static let refused: [Refusal] = [
    Refusal(.badRequest, "\r\n"), Refusal(.badRequest, "x\r\n"), Refusal(.badRequest, "-1\r\n"),
    Refusal(.badRequest, "+1\r\n"), Refusal(.badRequest, "0x1\r\n"), Refusal(.badRequest, " 1\r\n"),
    Refusal(.badRequest, "1 \r\n"), Refusal(.badRequest, "1 2\r\n"), Refusal(.badRequest, "1,2\r\n"),
    Refusal(.badRequest, "1\nx\r\n"), Refusal(.badRequest, "1\r\rx"), Refusal(.badRequest, "1;a\u{1}\r\n"),
    Refusal(.badRequest, "1;\r\nx"), Refusal(.badRequest, "1;;\r\nx"), Refusal(.badRequest, "1;a=\r\nx"),
    Refusal(.badRequest, "1;=b\r\nx"), Refusal(.badRequest, "1;a \r\nx"), Refusal(.badRequest, "1;a b\r\nx"),
    Refusal(.badRequest, "1;a[=b\r\nx"), Refusal(.badRequest, "1;a=\"b\r\nx"), Refusal(.badRequest, "1;a=\"b\"c\r\nx"),
    Refusal(.badRequest, "1;a==b\r\nx"), Refusal(.badRequest, "1;a=b,c\r\nx"), Refusal(.badRequest, "1;\u{E9}\r\nx"),
    Refusal(.badRequest, "1;a=\"\\\u{1}\"\r\nx"), Refusal(.badRequest, "1;a\nb\r\n"),
    Refusal(.badRequest, "2\r\nxyz\r\n"), Refusal(.badRequest, "2\r\nxy0\r\n"),
    Refusal(.badRequest, "1\r\nx\n0\r\n\r\n"), Refusal(.badRequest, String(repeating: "0", count: 255) + "\r\n"),
    Refusal(.badRequest, "1;" + String(repeating: "a", count: 300)),
    Refusal(.contentTooLarge, "FFFFFFFFFFFFFFFF\r\n"), Refusal(.contentTooLarge, "100001\r\n"),
    Refusal(.contentTooLarge, "1\r\nx\r\n100000\r\n"),
    Refusal(.badRequest, "0\r\nA : b\r\n"), Refusal(.badRequest, "0\r\n folded\r\n"),
    Refusal(.badRequest, "0\r\nA: b\n"),
    Refusal(.requestHeaderFieldsTooLarge, "0\r\n" + String(repeating: "A:\r\n", count: 101)),
    Refusal(.requestHeaderFieldsTooLarge, "0\r\nA: " + String(repeating: "b", count: 40_000)),
  ]

  @Test("what could end in two places is refused", arguments: refused, [1, 5, 100_000])
  func chunk_thatIsUnclear_isRefused(row: Refusal, pieces: Int) throws {
    let error = #expect(throws: HTTPError.self) { try bodies(Self.chunked + row.text, pieces: pieces) }
    #expect(error?.status == row.status)
  }

  @Test("extensions of chunks have a limit all together")
  func extensions_areLimited() throws {
    // 30 bytes beyond the digit of the size.
    let chunk = "1;a=\"\(String(repeating: "b", count: 25))\"\r\nx\r\n"
    let limits = HTTPLimits(headerBytes: 3000)
    let body = try bodies(Self.chunked + String(repeating: chunk, count: 100) + "0\r\n\r\n", pieces: 99, limits: limits)
    #expect(body == [String(repeating: "x", count: 100)])
    let error = #expect(throws: HTTPError.self) {
      try bodies(Self.chunked + String(repeating: chunk, count: 101), pieces: 99, limits: limits)
    }
    #expect(error?.status == .badRequest)
    let zeros = Self.chunked + String(repeating: String(repeating: "0", count: 31) + "1\r\nx\r\n", count: 101)
    #expect(throws: HTTPError.self) { try bodies(zeros, pieces: 99, limits: limits) }
  }

  @Test(
    "a limit holds to the byte, and for the length that is announced",
    arguments: [
      HTTPLimits(bodyBytes: 5), HTTPLimits(bodyBytes: 9, keptBodyBytes: 5), HTTPLimits(bodyBytes: 1, keptBodyBytes: 5),
    ])
  func body_isLimited(limits: HTTPLimits) throws {
    #expect(try bodies(Self.fixed(5) + "hello", pieces: 9, limits: limits) == ["hello"])
    #expect(try bodies(Self.chunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", pieces: 9, limits: limits) == ["hello"])
    for text in [Self.fixed(6), Self.chunked + "6\r\n", Self.chunked + "2\r\nhe\r\n4\r\n"] {
      let error = #expect(throws: HTTPError.self) { try bodies(text, pieces: 1000, limits: limits) }
      #expect(error?.status == .contentTooLarge && error?.reason == "The body is longer than 5 bytes.")
    }
  }

  @Test("a body that is not wanted is passed over, as far and no further")
  func body_isPassedOver() throws {
    for text in [Self.fixed(5) + "hello", Self.chunked + "5\r\nhello\r\n0\r\nA: b\r\n\r\n"] {
      var reader = RequestReader(limits: HTTPLimits(bodyBytes: 5), keepsBody: { _ in false })
      var buffer = ReceiveBuffer()
      buffer.receive(wireBytes(text + Self.next))
      #expect(try reader.nextHead(from: &buffer) != nil)
      #expect(try reader.nextBody(from: &buffer) == [])
      #expect(buffer.unreadBytes == wireBytes(Self.next))
    }
    for text in [Self.fixed(6), Self.chunked + "6\r\n"] {
      var reader = RequestReader(limits: HTTPLimits(bodyBytes: 5), keepsBody: { _ in false })
      var buffer = ReceiveBuffer()
      buffer.receive(wireBytes(text))
      let error = #expect(throws: HTTPError.self) {
        _ = try reader.nextHead(from: &buffer)
        _ = try reader.nextBody(from: &buffer)
      }
      #expect(error?.status == .contentTooLarge)
    }
  }

  @Test("a reader that has refused a body reads nothing more")
  func refusal_isForEver() throws {
    var reader = RequestReader(limits: HTTPLimits(bodyBytes: 5))
    var buffer = ReceiveBuffer()
    buffer.receive(wireBytes(Self.fixed(6) + Self.next))
    let error = #expect(throws: HTTPError.self) { try reader.nextHead(from: &buffer) }
    let again = try #require(error)
    #expect(throws: again) { try reader.nextHead(from: &buffer) }
  }

  @Test("memory grows with what has come, not with what was announced")
  func announcement_costsNothing() throws {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    buffer.receive(wireBytes(Self.fixed(1_048_576) + "x"))
    _ = try reader.nextHead(from: &buffer)
    #expect(try reader.nextBody(from: &buffer) == nil)
    #expect(buffer.isEmpty)
  }

  @Test(
    "RFC 9110 §10.1.1: only a 100 may be expected",
    arguments: [
      ("100-continue", true), ("100-Continue", true), (", 100-continue,", true), ("", false), ("x", nil),
      ("100-continue, x", nil),
    ])
  func expectation_isA100(text: String, expects: Bool?) throws {
    let request = wireBytes("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: \(text)\r\n\r\n")
    if let expects {
      #expect(try RequestReader.accept(request).expectsContinue == expects)
    } else {
      #expect(try RequestReader.refuse(request).status == .expectationFailed)
    }
  }

  @Test("nothing is expected of HTTP/1.0, nor without a body")
  func expectation_needsABody() throws {
    let old = wireBytes("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
    #expect(try !RequestReader.accept(old).expectsContinue)
    let empty = wireBytes("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")
    #expect(try !RequestReader.accept(empty).expectsContinue)
  }
}
