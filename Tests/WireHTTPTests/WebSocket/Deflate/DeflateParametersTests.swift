import Testing

@testable import WireHTTP

@Suite("RFC 7692 §7.1 Parameters")
struct DeflateParametersTests {
  private static func parameters(_ text: String, in place: DeflateParameters.Place) throws -> DeflateParameters? {
    let list = try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": "permessage-deflate" + text])
    return DeflateParameters(try #require(list.first), in: place)
  }

  private static func made(_ change: (inout DeflateParameters) -> Void) -> DeflateParameters {
    var parameters = DeflateParameters()
    change(&parameters)
    return parameters
  }

  static let fine: [(text: String, expected: DeflateParameters)] = [
    ("", DeflateParameters()),
    ("; server_no_context_takeover", made { $0.serverNoContextTakeover = true }),
    ("; client_no_context_takeover", made { $0.clientNoContextTakeover = true }),
    ("; server_max_window_bits=8", made { $0.serverMaxWindowBits = 8 }),
    ("; server_max_window_bits=\"10\"", made { $0.serverMaxWindowBits = 10 }),
    ("; client_max_window_bits=15", made { $0.clientMaxWindowBits = 15 }),
    (
      ";client_max_window_bits=9 ;server_max_window_bits= 11; client_no_context_takeover;server_no_context_takeover",
      made {
        $0.clientMaxWindowBits = 9
        $0.serverMaxWindowBits = 11
        $0.clientNoContextTakeover = true
        $0.serverNoContextTakeover = true
      }
    ),
  ]

  @Test("they are read in an offer and in an answer", arguments: fine)
  func parameters_areRead(text: String, expected: DeflateParameters) throws {
    #expect(try Self.parameters(text, in: .offer) == expected)
    #expect(try Self.parameters(text, in: .answer) == expected)
    // And written so that they are read the same.
    let list = try WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": expected.element.text])
    #expect(list == [expected.element])
    #expect(DeflateParameters(expected.element, in: .offer) == expected)
  }

  static let bad = [
    "; unknown", "; server_no_context_takeover=1", "; server_no_context_takeover=\"true\"",
    "; client_no_context_takeover=8", "; server_max_window_bits", "; server_max_window_bits=7",
    "; server_max_window_bits=16", "; server_max_window_bits=08", "; server_max_window_bits=+9",
    "; server_max_window_bits=0x9", "; server_max_window_bits=a", "; client_max_window_bits=7",
    "; client_max_window_bits=16", "; client_max_window_bits=015", "; client_max_window_bits=\"1\"",
    "; server_no_context_takeover; server_no_context_takeover", "; server_max_window_bits=9; server_max_window_bits=9",
    "; client_max_window_bits; client_max_window_bits=10", "; Server_No_Context_Takeover",
    "; client_no_context_takeover; client_no_context_takeover", "; server_max_window_bits=99999999999999999999",
  ]

  @Test("any other is neither offered nor answered", arguments: bad)
  func badParameters_areRefused(text: String) throws {
    #expect(try Self.parameters(text, in: .offer) == nil)
    #expect(try Self.parameters(text, in: .answer) == nil)
  }

  @Test("§7.1.2.2: only an offer leaves the client's window open")
  func clientWindow_hasAValueInAnAnswer() throws {
    #expect(try Self.parameters("; client_max_window_bits", in: .offer)?.clientMaxWindowBits == 15)
    #expect(try Self.parameters("; client_max_window_bits", in: .answer) == nil)
  }

  @Test(
    "another extension is not this one",
    arguments: ["permessage-bzip2", "x-webkit-deflate-frame", "PERMESSAGE-DEFLATE"])
  func otherExtension_isNoneOfIts(name: String) {
    #expect(DeflateParameters(WebSocketExtension(name: name, parameters: []), in: .offer) == nil)
  }
}
