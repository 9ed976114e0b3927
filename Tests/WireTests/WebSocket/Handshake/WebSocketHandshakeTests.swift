import Testing

@testable import Wire

@Suite("RFC 6455 §4 Opening handshake")
struct WebSocketHandshakeTests {
  /// RFC 6455 §1.3 and §4.2.2.
  static let sampleKey = "dGhlIHNhbXBsZSBub25jZQ=="
  static let sampleAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  @Test("§4.2.2: the RFC's sample")
  func acceptValue_isTheSamples() {
    #expect(WebSocketHandshake.acceptValue(for: Self.sampleKey) == Self.sampleAccept)
  }

  static let agreements: [(offered: [String], supported: [String], chosen: String?)] = [
    ([], [], nil),
    ([], ["a"], nil),
    (["a"], ["a"], "a"),
    (["b", "a"], ["a", "b"], "b"),
    (["x", "b"], ["a", "b"], "b"),
  ]

  @Test("server and client agree", arguments: agreements)
  func bothSides_agree(offered: [String], supported: [String], chosen: String?) throws {
    let request = WebSocketHandshake.request(
      host: "a.example:8080", path: "/v1/socket?a=b", key: Self.sampleKey, subprotocols: offered)
    let requestHead = try RequestReader.accept(request)
    #expect(requestHead.headers["Host"] == "a.example:8080")
    #expect(requestHead.target == "/v1/socket?a=b")

    let (response, subprotocol) = try WebSocketHandshake.answer(requestHead, subprotocols: supported)
    #expect(subprotocol == chosen)
    var bytes: [UInt8] = []
    response.write(into: &bytes, keepAlive: true, omitBody: false)
    let responseHead = try ResponseReader.accept(bytes)
    #expect(try WebSocketHandshake.check(responseHead, key: Self.sampleKey, subprotocols: offered) == chosen)
  }
}
