import RibTestSupport
import Testing

@testable import WireHTTP

@Suite("RFC 9112 §2.2 and §3 Reading requests within limits")
struct RequestReaderTests {
  /// A request line of 16 bytes and a header section of 11, the line ends included.
  static let smallest = wireBytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

  @Test("every part of a request arrives")
  func request_isRead() throws {
    let text = "POST /v1/a?b HTTP/1.1\r\nHost: c\r\nContent-Length: 2\r\nX-D: e\r\nx-d: f\r\n\r\n"
    let head = try RequestReader.accept(wireBytes(text))
    let expected = RequestHead(
      method: "POST", target: "/v1/a?b", path: "/v1/a", query: "b", minorVersion: 1,
      headers: ["Host": "c", "Content-Length": "2", "X-D": "e", "x-d": "f"], contentLength: 2)
    #expect(head == expected)
  }

  @Test("the defaults are those of the common servers")
  func limits_haveDefaults() {
    let limits = HTTPLimits()
    #expect(limits.requestLineBytes == 8192)
    #expect(limits.headerBytes == 32768)
    #expect(limits.headerCount == 100)
  }

  @Test("a head just at its limits is read")
  func headAtItsLimits_isRead() throws {
    let limits = HTTPLimits(requestLineBytes: 16, headerBytes: 11, headerCount: 1)
    #expect(try RequestReader.accept(Self.smallest, limits: limits).path == "/")
  }

  @Test("the empty line before a request is not counted to it")
  func emptyLine_doesNotCount() throws {
    let limits = HTTPLimits(requestLineBytes: 16, headerBytes: 11, headerCount: 1)
    #expect(try RequestReader.accept(wireBytes("\r\n") + Self.smallest, limits: limits).path == "/")
  }

  @Test("§2.2: the empty line is consumed as soon as it is there, and only one is passed over")
  func emptyLine_isConsumedAtOnce() throws {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    buffer.receive(wireBytes("\r"))
    #expect(try reader.nextHead(from: &buffer) == nil && buffer.count == 1)
    buffer.receive(wireBytes("\n"))
    #expect(try reader.nextHead(from: &buffer) == nil && buffer.isEmpty)
    buffer.receive(wireBytes("\r\n"))
    #expect(throws: HTTPError.self) { try reader.nextHead(from: &buffer) }
  }

  static let tooLarge: [(limits: HTTPLimits, status: HTTPStatus)] = [
    (HTTPLimits(requestLineBytes: 15), .uriTooLong),
    (HTTPLimits(requestLineBytes: 14), .uriTooLong),
    (HTTPLimits(headerBytes: 10), .requestHeaderFieldsTooLarge),
    (HTTPLimits(headerBytes: 9), .requestHeaderFieldsTooLarge),
    (HTTPLimits(headerBytes: 8), .requestHeaderFieldsTooLarge),
    (HTTPLimits(headerCount: 0), .requestHeaderFieldsTooLarge),
  ]

  @Test("§3 and RFC 6585 §5: one byte or one field above is refused", arguments: tooLarge)
  func headAboveALimit_isRefused(limits: HTTPLimits, status: HTTPStatus) throws {
    #expect(try RequestReader.refuse(Self.smallest, limits: limits).status == status)
  }

  @Test("a limit that cannot be reached is none")
  func hugeLimits_doNotOverflow() throws {
    let limits = HTTPLimits(requestLineBytes: .max, headerBytes: .max, headerCount: .max)
    #expect(try RequestReader.accept(wireBytes("\r\n") + Self.smallest, limits: limits).path == "/")
  }

  static let endless: [(start: String, repeated: String, limit: Int, status: HTTPStatus)] = [
    ("", "a", 8192, .uriTooLong),
    ("\r\n", "a", 8192, .uriTooLong),
    ("GET / HTTP/1.1\r\n", "a", 16 + 32768, .requestHeaderFieldsTooLarge),
    ("GET / HTTP/1.1\r\n", "A: \(String(repeating: "v", count: 987))\r\n", 16 + 32768, .requestHeaderFieldsTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\n", "A:\r\n", 25 + 99 * 4 + 4, .requestHeaderFieldsTooLarge),
  ]

  @Test("what never ends is refused at the limit, not buffered", arguments: endless)
  func endlessHead_isRefusedAtTheLimit(start: String, repeated: String, limit: Int, status: HTTPStatus) throws {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    buffer.receive(wireBytes(start))
    let error = #expect(throws: HTTPError.self) {
      while buffer.count < 100_000 {
        for byte in wireBytes(repeated) {
          buffer.receive([byte])
          let head = try reader.nextHead(from: &buffer)
          #expect(head == nil)
        }
      }
    }
    #expect(error?.status == status)
    #expect(buffer.count == limit)
  }

  @Test("§2.2: CR and LF stand together or not at all", arguments: ["\n", "\r", "\r\r\n", "\n\r", "\r \n"])
  func otherLineEnds_areRefused(end: String) throws {
    #expect(try RequestReader.refuse(wireBytes("GET / HTTP/1.1\(end)Host: a\r\n\r\n")).status == .badRequest)
    #expect(try RequestReader.refuse(wireBytes("GET / HTTP/1.1\r\nHost: a\(end)\r\n\r\n")).status == .badRequest)
    #expect(try RequestReader.refuse(wireBytes("\(end)GET / HTTP/1.1\r\nHost: a\r\n\r\n")).status == .badRequest)
  }

  /// RFC 9110 §9.3.2: also who is refused gets no content in the answer to a HEAD.
  @Test(
    "a HEAD is known as soon as its method is there",
    arguments: [
      ("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("HEAD /", true),
      ("HEAD / HTTP/3.0\r\n\r\n", true), ("HEAD  / HTTP/1.1\r\n\r\n", true), ("HEAD", false), ("HEADS /", false),
      ("head / HTTP/1.1\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", false),
      ("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /", false), ("GET / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /b", true),
    ], [1, 100])
  func head_isKnown(row: (text: String, isHead: Bool), pieces: Int) {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    let bytes = wireBytes(row.text)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      buffer.receive(bytes[start..<min(start + pieces, bytes.count)])
      // The heads that are there, and what is wrong, once more as well: a refusal stays what it is.
      while let head = try? reader.nextHead(from: &buffer), (try? reader.nextBody(from: &buffer)) != nil {
        #expect(reader.isHead == (head.method == "HEAD"))
        if buffer.isEmpty { break }
      }
    }
    #expect(reader.isHead == row.isHead)
  }

  @Test("§2.2: a lone LF as the head's last line end is refused", arguments: ["\r\n\n", "\n\n", "\r\n\r\r\n"])
  func otherLastLineEnd_isRefused(end: String) throws {
    #expect(try RequestReader.refuse(wireBytes("GET / HTTP/1.1\r\nHost: a\(end)")).status == .badRequest)
  }

  @Test("what was searched for a line end is not searched again", arguments: [5, 22, 30])
  func trickle_isNotRescanned(size: Int) throws {
    let input = wireBytes("GET /abcdef HTTP/1.1\r\nHost: abcdef\r\n\r\n")
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    buffer.receive(input[..<size])
    #expect(try reader.nextHead(from: &buffer) == nil)
    // A second look at any byte but the last (which may be half of a line end) would find these.
    buffer.withMutableBytes(buffer.readIndex..<buffer.writeIndex - 1) { bytes in
      bytes.copyBytes(from: repeatElement(UInt8(ascii: "\n"), count: bytes.count))
    }
    buffer.receive(input[size..<size + 4])
    #expect(try reader.nextHead(from: &buffer) == nil)
  }

  @Test("bytes may move within the buffer between two calls")
  func partialHead_mayMove() throws {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    buffer.receive(Self.smallest)
    buffer.receive(Self.smallest[..<20])
    #expect(try reader.nextHead(from: &buffer)?.path == "/")
    #expect(try reader.nextHead(from: &buffer) == nil)
    let before = buffer.readIndex
    buffer.receive(Self.smallest[20...] + [UInt8](repeating: 0, count: 4096))
    #expect(buffer.readIndex != before)
    #expect(try reader.nextHead(from: &buffer)?.path == "/")
    #expect(buffer.count == 4096)
  }

  @Test("no bytes are no request")
  func emptyBuffer_needsMore() throws {
    var reader = RequestReader()
    var buffer = ReceiveBuffer()
    #expect(try reader.nextHead(from: &buffer) == nil)
  }

  @Test(
    "damaged requests are read alike, whole and byte by byte",
    arguments: TestRun.seeds(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, new: 10))
  func damagedRequest_isReadAlike(seed: UInt64) {
    let limits = HTTPLimits(requestLineBytes: 40, headerBytes: 90, headerCount: 5)
    let intact = wireBytes("GET /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\nC: d\r\n\r\n")
    var random = SeededGenerator(state: seed)
    for _ in 0..<100 {
      let damaged = random.damage(intact)
      let whole = RequestReader.outcome(of: damaged, oneByOne: false, limits: limits)
      #expect(whole == RequestReader.outcome(of: damaged, oneByOne: true, limits: limits), "\(damaged)")
    }
  }
}
