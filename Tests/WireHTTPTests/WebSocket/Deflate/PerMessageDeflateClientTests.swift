import Testing

@testable import WireHTTP

@Suite("RFC 7692 §5 and §7.1 What a client takes for an answer")
struct PerMessageDeflateClientTests {
  typealias Direction = PerMessageDeflate.Direction

  /// One that asks for nothing.
  static let open = PerMessageDeflate.Offer(server: .takenOver, client: .takenOver)
  /// One that asks for everything.
  static let strict = PerMessageDeflate.Offer(
    server: Direction(keepsContext: false, windowBits: 10), client: Direction(keepsContext: false, windowBits: 11))

  @Test("an offer is written")
  func offer_isWritten() {
    #expect(Self.open.element.text == "permessage-deflate; client_max_window_bits=15")
    #expect(
      Self.strict.element.text
        == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
        + "client_max_window_bits=11")
  }

  static let accepted: [(offer: PerMessageDeflate.Offer, answer: String, server: Direction, client: Direction)] = [
    (open, "permessage-deflate", .takenOver, .takenOver),
    (open, "permessage-deflate; server_no_context_takeover; client_no_context_takeover", .anew, .anew),
    (
      open, "permessage-deflate; server_max_window_bits=8; client_max_window_bits=8",
      Direction(keepsContext: true, windowBits: 8), Direction(keepsContext: true, windowBits: 8)
    ),
    (
      strict, "permessage-deflate; server_no_context_takeover; server_max_window_bits=10",
      Direction(keepsContext: false, windowBits: 10), Direction(keepsContext: false, windowBits: 11)
    ),
    (
      strict,
      "permessage-deflate; server_no_context_takeover; server_max_window_bits=9; client_max_window_bits=10; "
        + "client_no_context_takeover",
      Direction(keepsContext: false, windowBits: 9), Direction(keepsContext: false, windowBits: 10)
    ),
  ]

  @Test("an answer within the offer is agreed to", arguments: accepted)
  func answer_isAgreedTo(offer: PerMessageDeflate.Offer, answer: String, server: Direction, client: Direction) throws {
    let list = try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": answer])
    #expect(try PerMessageDeflate.check(list, to: offer) == PerMessageDeflate(server: server, client: client))
  }

  static let refused: [(offer: PerMessageDeflate.Offer, answer: String)] = [
    (strict, "permessage-deflate"), (strict, "permessage-deflate; server_no_context_takeover"),
    (strict, "permessage-deflate; server_max_window_bits=10"),
    (strict, "permessage-deflate; server_no_context_takeover; server_max_window_bits=11"),
    (strict, "permessage-deflate; server_no_context_takeover; server_max_window_bits=10; client_max_window_bits=12"),
    (open, "permessage-deflate; client_max_window_bits"), (open, "permessage-deflate; unknown"),
    (open, "permessage-deflate, permessage-deflate"), (open, "permessage-deflate; server_max_window_bits=16"),
  ]

  @Test("any other answer fails the connection", arguments: refused)
  func answer_isRefused(offer: PerMessageDeflate.Offer, answer: String) throws {
    let list = try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": answer])
    #expect(throws: HTTPError.self) { try PerMessageDeflate.check(list, to: offer) }
  }

  @Test("a server may decline")
  func decline_isTaken() throws {
    #expect(try PerMessageDeflate.check([], to: Self.strict) == nil)
  }
}
