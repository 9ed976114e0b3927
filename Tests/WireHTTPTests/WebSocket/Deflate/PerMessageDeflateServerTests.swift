import Testing

@testable import WireHTTP

@Suite("RFC 7692 §5 and §7.1 What a server accepts")
struct PerMessageDeflateServerTests {
  /// What is answered to an offer by a server that keeps no context, and by one that does, with a window of 12 bits.
  static let offers: [(offer: String, usual: String?, keeping: String?)] = [
    (
      "permessage-deflate", "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_max_window_bits=12"
    ),
    (
      "permessage-deflate; client_max_window_bits",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12"
    ),
    (
      "permessage-deflate; client_max_window_bits=10",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_max_window_bits=12"
    ),
    (
      "permessage-deflate; server_no_context_takeover",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_no_context_takeover; server_max_window_bits=12"
    ),
    (
      "permessage-deflate; client_no_context_takeover; client_max_window_bits",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; client_no_context_takeover; server_max_window_bits=12"
    ),
    (
      "permessage-deflate; server_max_window_bits=9",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9",
      "permessage-deflate; server_max_window_bits=9"
    ),
    (
      "permessage-deflate; server_max_window_bits=15",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=15",
      "permessage-deflate; server_max_window_bits=12"
    ),
    ("permessage-deflate; server_max_window_bits=8", nil, nil),
    (
      "permessage-deflate; server_max_window_bits=8, permessage-deflate; server_max_window_bits=10",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10",
      "permessage-deflate; server_max_window_bits=10"
    ),
    (
      "x-other, permessage-deflate; unknown=1, permessage-deflate; server_no_context_takeover",
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_no_context_takeover; server_max_window_bits=12"
    ),
    ("permessage-deflate; server_max_window_bits", nil, nil),
    ("permessage-bzip2", nil, nil),
  ]

  @Test("the first offer that can be accepted is", arguments: offers)
  func offers_areAnswered(offer: String, usual: String?, keeping: String?) throws {
    let list = try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": offer])
    #expect(PerMessageDeflate.accept(list, PerMessageDeflate.Policy())?.answer.text == usual)
    let policy = PerMessageDeflate.Policy(keepsContext: true, windowBits: 12)
    #expect(PerMessageDeflate.accept(list, policy)?.answer.text == keeping)
  }

  @Test("what is agreed on is what is answered, and no more than the client says that it will do")
  func agreement_isWhatIsAnswered() throws {
    func agreement(_ offer: String, _ policy: PerMessageDeflate.Policy) throws -> PerMessageDeflate? {
      PerMessageDeflate.accept(try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": offer]), policy)?.agreement
    }
    let keeping = PerMessageDeflate.Policy(keepsContext: true, windowBits: 12)
    func direction(_ keepsContext: Bool, _ bits: Int) -> PerMessageDeflate.Direction {
      PerMessageDeflate.Direction(keepsContext: keepsContext, windowBits: bits)
    }
    let rows: [(String, PerMessageDeflate.Policy, PerMessageDeflate)] = [
      ("permessage-deflate", .init(), PerMessageDeflate(server: direction(false, 15), client: direction(false, 15))),
      // This client knows no limit of its own window: it may use all of it.
      ("permessage-deflate", keeping, PerMessageDeflate(server: direction(true, 12), client: direction(true, 15))),
      (
        "permessage-deflate; client_max_window_bits=10; server_max_window_bits=9", keeping,
        PerMessageDeflate(server: direction(true, 9), client: direction(true, 10))
      ),
      (
        "permessage-deflate; client_max_window_bits", keeping,
        PerMessageDeflate(server: direction(true, 12), client: direction(true, 12))
      ),
      (
        "permessage-deflate; client_no_context_takeover; server_no_context_takeover", keeping,
        PerMessageDeflate(server: direction(false, 12), client: direction(false, 15))
      ),
    ]
    for (offer, policy, expected) in rows { #expect(try agreement(offer, policy) == expected, "\(offer)") }
  }

  @Test("an agreement is told to another process with all of its parameters")
  func agreement_isReadAsItIsWritten() throws {
    for bits in [8, 9, 15] {
      for keepsContext in [false, true] {
        let agreement = PerMessageDeflate(
          server: PerMessageDeflate.Direction(keepsContext: keepsContext, windowBits: bits),
          client: PerMessageDeflate.Direction(keepsContext: !keepsContext, windowBits: 23 - bits))
        #expect(PerMessageDeflate(text: agreement.text) == agreement)
      }
    }
    for text in ["", "gzip", "permessage-deflate", "permessage-deflate; client_max_window_bits=9", "a, b"] {
      #expect(PerMessageDeflate(text: text) == nil, "\(text)")
    }
  }
}
