import CZlib
import RibTestSupport
import Testing

@testable import WireHTTP

@Suite("RFC 9110 §8.4 and §12.5.3 Content codings")
struct ResponseCompressionTests {
  private static let long = Array(String(repeating: #"{"count":1},"#, count: 200).utf8)

  private static func request(_ acceptEncoding: String?) throws -> RequestHead {
    let field = acceptEncoding.map { "Accept-Encoding: \($0)\r\n" } ?? ""
    return try RequestReader.accept(wireBytes("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n"))
  }

  private static func response(_ type: String?, _ body: [UInt8] = long) -> Response {
    Response(status: .ok, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
  }

  /// What gzip's bytes stand for.
  private static func gunzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    return bytes.withUnsafeBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: 100_000) { output, count in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = 100_000
        #expect(inflate(&stream, Z_FINISH) == Z_STREAM_END)
        count = 100_000 - Int(stream.avail_out)
      }
    }
  }

  @Test(
    "what the client takes is compressed, and comes back the same",
    arguments: [
      "gzip", "GZIP", "gzip;q=0.001", "gzip ; q=1.000", "identity, gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*",
      "br, *;q=0.5",
    ])
  func acceptedCoding_isUsed(field: String) throws {
    let response = Self.response("application/json").compressed(for: try Self.request(field))
    #expect(response.headers["Content-Encoding"] == "gzip")
    #expect(response.headers["Vary"] == "Accept-Encoding")
    #expect(response.body.count < 200)
    #expect(Self.gunzip(response.body) == Self.long)
  }

  @Test(
    "what it does not take is left as it is",
    arguments: [
      nil, "", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "gzip;q=2", "gzip;q=x", "gzip;q=",
      "gzip;",
    ])
  func otherCoding_isNotUsed(field: String?) throws {
    let response = Self.response("application/json").compressed(for: try Self.request(field))
    #expect(response.headers["Content-Encoding"] == nil)
    #expect(response.headers["Vary"] == "Accept-Encoding")
    #expect(response.body == Self.long)
  }

  @Test(
    "only what shrinks is compressed",
    arguments: [
      ("text/html; charset=utf-8", true), ("text/event-stream", true), ("application/problem+json", true),
      ("APPLICATION/JSON", true), ("image/svg+xml", true), ("image/png", false), ("application/octet-stream", false),
      (nil, false),
    ])
  func type_decides(type: String?, isCompressed: Bool) throws {
    let response = Self.response(type).compressed(for: try Self.request("gzip"))
    #expect((response.headers["Content-Encoding"] == "gzip") == isCompressed)
    #expect((response.headers["Vary"] != nil) == isCompressed)
  }

  @Test("nothing is compressed that is short, compressed already, or grows by it")
  func rest_isLeftAlone() throws {
    let head = try Self.request("gzip")
    let short = Self.response("text/plain", Array(repeating: 97, count: 511))
    #expect(short.compressed(for: head) == short)
    var coded = Self.response("text/plain")
    coded.headers.append(name: "Content-Encoding", value: "br")
    #expect(coded.compressed(for: head) == coded)
    var random = SeededGenerator(state: 1)
    let noise = Self.response("text/plain", (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) })
    #expect(noise.compressed(for: head).body == noise.body)
  }
}
