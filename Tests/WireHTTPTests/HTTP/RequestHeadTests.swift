import Testing

@testable import WireHTTP

@Suite("RFC 9112 §6 and §9 Framing and persistence")
struct RequestHeadTests {
  private static func request(_ lines: String..., minorVersion: Int = 1) -> [UInt8] {
    let host = minorVersion == 1 ? ["Host: a"] : []
    return wireBytes((["POST / HTTP/1.\(minorVersion)"] + host + lines + ["", ""]).joined(separator: "\r\n"))
  }

  static let hosts = [
    "a", "a.example", "A.EXAMPLE:80", "127.0.0.1:0", "[::1]", "[::ffff:1.2.3.4]:8080", "a:", "", "%C3%A9",
    "a_b~!$&'()*+,;=",
  ]

  @Test("RFC 9110 §7.2: Host is a host with an optional port", arguments: hosts)
  func host_isAccepted(host: String) throws {
    let head = try RequestReader.accept(wireBytes("GET / HTTP/1.1\r\nhost: \(host)\r\n\r\n"))
    #expect(head.headers["Host"] == host)
  }

  @Test("§3.2: HTTP/1.0 needs no Host")
  func host_mayBeMissingInHTTP10() throws {
    #expect(try RequestReader.accept(wireBytes("GET / HTTP/1.0\r\n\r\n")).headers.count == 0)
  }

  @Test(
    "§3.2: Host is given exactly once",
    arguments: [
      "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nhOST: b\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n", "GET http://a/ HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHostt: a\r\n",
      "GET / HTTP/1.1\r\nHost: a b\r\n", "GET / HTTP/1.1\r\nHost: u@a\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n",
      "GET / HTTP/1.1\r\nHost: http://a\r\n", "GET / HTTP/1.1\r\nHost: a:b\r\n", "GET / HTTP/1.1\r\nHost: a:8:9\r\n",
      "GET / HTTP/1.1\r\nHost: [::1\r\n", "GET / HTTP/1.1\r\nHost: []\r\n", "GET / HTTP/1.1\r\nHost: ::1\r\n",
      "GET / HTTP/1.1\r\nHost: [::1]a\r\n", "GET / HTTP/1.1\r\nHost: a%zz\r\n", "GET / HTTP/1.1\r\nHost: a%4\r\n",
      "GET / HTTP/1.1\r\nHost: a\u{C3}\u{A9}\r\n",
      "GET / HTTP/1.0\r\nHost: a b\r\n",
    ])
  func badHost_isRefused(lines: String) throws {
    #expect(try RequestReader.refuse(wireBytes(lines + "\r\n")).status == .badRequest)
  }

  @Test(
    "RFC 3986 §3.2.2: an address in brackets is one",
    arguments: [
      ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("2001:DB8::abcd:0", true),
      ("1:2:3:4:5:6:7::", true), ("::2:3:4:5:6:7:8", true), ("::ffff:192.0.2.1", true), ("1:2:3:4:5:6:1.2.3.4", true),
      ("1:2:3:4:5::1.2.3.4", true), ("v1.a:b", true), ("VF.~", true), (":", false), (":::", false), ("1", false),
      (":::::", false), ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8:9", false), ("1:2:3:4::5:6:7:8", false),
      ("1::2::3", false), ("1:", false), ("1::2:", false), (":1:2:3:4:5:6:7", false), ("12345::", false),
      ("::g", false), ("::1.2.3", false), ("::1.2.3.256", false), ("::1.2.3.04", false), ("1.2.3.4", false),
      ("1:2:3:4:5:6:7:1.2.3.4", false), ("1:2:3:4:5:6::1.2.3.4", false), ("::1.2.3.4:5", false),
      ("fe80::1%25eth0", false),
      ("v.a", false), ("v1.", false), ("v1a", false), ("vg.a", false), ("v1.a/b", false), ("::+1.2.3.4", false),
    ])
  func address_isChecked(text: String, isValid: Bool) throws {
    let request = wireBytes("GET / HTTP/1.1\r\nHost: [\(text)]:80\r\n\r\n")
    if isValid {
      #expect(try RequestReader.accept(request).headers["Host"] == "[\(text)]:80")
    } else {
      #expect(try RequestReader.refuse(request).status == .badRequest)
    }
  }

  static let bodies: [(lines: String, contentLength: Int?, hasBody: Bool)] = [
    ("A: b", nil, false),
    ("Content-Length: 0", 0, false),
    ("Content-Length: 5", 5, true),
    ("content-length: 005", 5, true),
    ("Content-Length: 5\r\nContent-Length: 5", 5, true),
    ("Content-Length: 5, 5", 5, true),
    ("Transfer-Encoding: chunked", nil, true),
    ("transfer-encoding: \tCHUNKED ", nil, true),
  ]

  @Test("§6.3: a body is announced by its size or in chunks", arguments: bodies)
  func body_isAnnounced(lines: String, contentLength: Int?, hasBody: Bool) throws {
    let head = try RequestReader.accept(Self.request(lines))
    #expect(head.contentLength == contentLength)
    #expect(head.hasBody == hasBody)
  }

  @Test(
    "§6: where a body ends is beyond doubt",
    arguments: [
      Refusal(.badRequest, "Content-Length:"),
      Refusal(.badRequest, "Content-Length: -1"),
      Refusal(.badRequest, "Content-Length: +1"),
      Refusal(.badRequest, "Content-Length: 1.0"),
      Refusal(.badRequest, "Content-Length: 0x10"),
      Refusal(.badRequest, "Content-Length: 1 2"),
      Refusal(.badRequest, "Content-Length: five"),
      Refusal(.badRequest, "Content-Length: \u{D9}\u{A1}"),
      Refusal(.badRequest, "Content-Length: 5, 6"),
      Refusal(.badRequest, "Content-Length: 5,"),
      Refusal(.badRequest, "Content-Length: 5\r\nContent-Length: 6"),
      Refusal(.badRequest, "Content-Length: 5\r\nContent-Length: x"),
      Refusal(.contentTooLarge, "Content-Length: 9223372036854775808"),
      Refusal(.contentTooLarge, "Content-Length: 99999999999999999999999999"),
      Refusal(.badRequest, "Content-Length: 5\r\nTransfer-Encoding: chunked"),
      Refusal(.badRequest, "Transfer-Encoding: chunked\r\nContent-Length: 5"),
      Refusal(.badRequest, "Transfer-Encoding: gzip\r\nContent-Length: 5"),
      Refusal(.badRequest, "Transfer-Encoding:"), Refusal(.badRequest, "Transfer-Encoding: , chunked"),
      Refusal(.badRequest, "Transfer-Encoding: chunked,"), Refusal(.badRequest, "Transfer-Encoding: chunked, gzip"),
      Refusal(.badRequest, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
      Refusal(.badRequest, "Transfer-Encoding: gzip"),
      Refusal(.badRequest, "Transfer-Encoding: identity"),
      Refusal(.notImplemented, "Transfer-Encoding: gzip, chunked"),
      Refusal(.badRequest, "Transfer-Encoding: chunked, chunked"),
      Refusal(.badRequest, "Transfer-Encoding: chunked;a=b"),
      Refusal(.badRequest, "Transfer-Encoding: xchunked"),
      Refusal(.badRequest, "Transfer-Encoding: chunked\r\nTransfer-Encoding: Chunked"),
      Refusal(.notImplemented, "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"),
    ])
  func unclearBody_isRefused(row: Refusal) throws {
    #expect(try RequestReader.refuse(Self.request(row.text)).status == row.status)
  }

  @Test("§6.1: HTTP/1.0 has no chunks")
  func transferEncodingInHTTP10_isRefused() throws {
    let input = Self.request("Transfer-Encoding: chunked", minorVersion: 0)
    #expect(try RequestReader.refuse(input).status == .badRequest)
  }

  static let persistence: [(minorVersion: Int, lines: String, keepsAlive: Bool)] = [
    (1, "A: b", true),
    (1, "Connection: close", false),
    (1, "Connection: Upgrade, CLOSE", false),
    (1, "Connection: keep-alive\r\nConnection: close", false),
    (1, "Connection: closed", true),
    (0, "A: b", false),
    (0, "Connection: Keep-Alive", true),
    (0, "Connection: keep-alive, close", false),
  ]

  @Test("§9.3: 1.1 persists unless told, 1.0 only if told", arguments: persistence)
  func keepsAlive_followsVersionAndConnection(minorVersion: Int, lines: String, keepsAlive: Bool) throws {
    #expect(try RequestReader.accept(Self.request(lines, minorVersion: minorVersion)).keepsAlive == keepsAlive)
  }

  /// What reads the head of a request that was passed on, and its body.
  private static func passedOn(_ input: String, isUpgrade: Bool = false) throws -> (RequestHead, body: [UInt8]) {
    let (reader, buffer) = (RequestReader(), ReceiveBuffer())
    func read(_ bytes: [UInt8]) throws -> (RequestHead, [UInt8]) {
      var (reader, buffer) = (reader, buffer)
      buffer.append(bytes.span)
      let head = try #require(try reader.nextHead(from: &buffer))
      let body = try #require(try reader.nextBody(from: &buffer))
      #expect(buffer.isEmpty)
      return (head, body)
    }
    let (head, body) = try read(wireBytes(input))
    var bytes: [UInt8] = []
    head.write(into: &bytes, body: body, isUpgrade: isUpgrade)
    return try read(bytes)
  }

  @Test("a request that is passed on is the same, however its body has come")
  func request_isPassedOn() throws {
    let chunks = "Transfer-Encoding: chunked\r\nTrailer: C\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nC: d\r\n\r\n"
    for end in ["Content-Length: 4\r\n\r\nabcd", "Expect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd", chunks] {
      let (head, body) = try Self.passedOn(
        "POST /a?b=c HTTP/1.1\r\nHost: a\r\nX: 1\r\nConnection: keep-alive\r\nx: \u{E9}\r\n" + end)
      #expect(head.method == "POST" && head.target == "/a?b=c" && head.headers["Host"] == "a")
      #expect(head.headers.values(for: "X").count == 2 && head.headers["X"] == "1")
      #expect(body == wireBytes("abcd") && !head.keepsAlive && !head.expectsContinue && head.contentLength == 4)
      #expect(head.headers["Transfer-Encoding"] == nil && head.headers["Trailer"] == nil)
    }
    let (head, body) = try Self.passedOn("GET /a HTTP/1.0\r\n\r\n")
    #expect(head.minorVersion == 0 && body.isEmpty && head.contentLength == nil)
    let fields = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    let (plain, _) = try Self.passedOn(fields)
    #expect(!plain.keepsAlive && plain.headers["Upgrade"] == nil, "it was not asked for one")
    let (upgrade, _) = try Self.passedOn(fields, isUpgrade: true)
    #expect(upgrade.keepsAlive && upgrade.headers["Upgrade"] == "websocket")
  }
}
