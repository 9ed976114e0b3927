import Testing

@testable import WireHTTP

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

    let (response, subprotocol, _) = try WebSocketHandshake.answer(requestHead, subprotocols: supported)
    #expect(subprotocol == chosen)
    var bytes: [UInt8] = []
    response.write(into: &bytes, keepAlive: true, omitBody: false)
    let responseHead = try ResponseReader.accept(bytes)
    let answer = try WebSocketHandshake.check(responseHead, key: Self.sampleKey, subprotocols: offered)
    #expect(answer.subprotocol == chosen)
    #expect(answer.compression == nil)
  }

  /// What a client offers, what the server would accept, and what both then do.
  static let compressions: [(offer: PerMessageDeflate.Offer?, policy: PerMessageDeflate.Policy?, isAgreed: Bool)] = [
    (nil, PerMessageDeflate.Policy(), false),
    (PerMessageDeflate.Offer(server: .takenOver, client: .takenOver), nil, false),
    (PerMessageDeflate.Offer(server: .takenOver, client: .takenOver), PerMessageDeflate.Policy(), true),
    (
      PerMessageDeflate.Offer(server: .anew, client: .takenOver),
      PerMessageDeflate.Policy(keepsContext: true, windowBits: 10), true
    ),
    (
      PerMessageDeflate.Offer(
        server: PerMessageDeflate.Direction(keepsContext: true, windowBits: 9),
        client: PerMessageDeflate.Direction(keepsContext: true, windowBits: 8)),
      PerMessageDeflate.Policy(keepsContext: true, windowBits: 12), true
    ),
    (
      PerMessageDeflate.Offer(
        server: PerMessageDeflate.Direction(keepsContext: false, windowBits: 8), client: .anew),
      PerMessageDeflate.Policy(), false
    ),
  ]

  @Test("RFC 7692 §5: both ends come to the same agreement", arguments: compressions)
  func bothSides_agreeOnCompression(
    offer: PerMessageDeflate.Offer?, policy: PerMessageDeflate.Policy?, isAgreed: Bool
  ) throws {
    let request = WebSocketHandshake.request(
      host: "a.example", path: "/", key: Self.sampleKey, subprotocols: [], compression: offer)
    let (response, _, agreement) = try WebSocketHandshake.answer(
      try RequestReader.accept(request), subprotocols: [], compression: policy)
    #expect((agreement != nil) == isAgreed)
    #expect((response.headers["Sec-WebSocket-Extensions"] != nil) == isAgreed)
    var bytes: [UInt8] = []
    response.write(into: &bytes, keepAlive: true, omitBody: false)
    let answer = try WebSocketHandshake.check(
      try ResponseReader.accept(bytes), key: Self.sampleKey, compression: offer)
    #expect(answer.compression == agreement)
  }
}
