import Testing

@testable import WireHTTP

@Suite("RFC 6455 §9.1 Sec-WebSocket-Extensions")
struct WebSocketExtensionTests {
  typealias Parameter = WebSocketExtension.Parameter

  static let fine: [(values: [String], expected: [WebSocketExtension])] = [
    ([], []), ([""], []), ([" , ,"], []),
    (["foo"], [WebSocketExtension(name: "foo", parameters: [])]),
    (
      ["foo; bar=1;baz , x-other"],
      [
        WebSocketExtension(
          name: "foo", parameters: [Parameter(name: "bar", value: "1"), Parameter(name: "baz", value: nil)]),
        WebSocketExtension(name: "x-other", parameters: []),
      ]
    ),
    (
      [#"foo ; bar = "a\b\1" "#, "baz"],
      [
        WebSocketExtension(name: "foo", parameters: [Parameter(name: "bar", value: "ab1")]),
        WebSocketExtension(name: "baz", parameters: []),
      ]
    ),
  ]

  @Test("a list of extensions is read, from several fields too", arguments: fine)
  func list_isRead(values: [String], expected: [WebSocketExtension]) throws {
    #expect(try WebSocketExtension.list(in: Self.headers(values)) == expected)
    let written = expected.map(\.text).joined(separator: ", ")
    #expect(try WebSocketExtension.list(in: Self.headers([written])) == expected)
  }

  static let malformed = [
    ";", "foo;", "foo; =1", "foo; bar=", "foo bar", "foo; bar baz", "=foo", "foo=1", #"foo; bar=""#, #"foo; bar="a"#,
    #"foo; bar="""#, #"foo; bar="a b""#, #"foo; bar="a,b""#, #"foo; bar="a\"#, #"foo; bar="a"b"#, "foo; bar=1=2",
    "foo;; bar", "\u{E9}", "foo, bar;", #""foo""#,
  ]

  @Test("what is no list of extensions fails the handshake", arguments: malformed)
  func malformedList_isRefused(value: String) {
    let error = #expect(throws: HTTPError.self) { try WebSocketExtension.list(in: Self.headers(["fine", value])) }
    #expect(error?.status == .badRequest)
  }

  private static func headers(_ values: [String]) -> HeaderFields {
    var headers: HeaderFields = ["Host": "x"]
    for value in values { headers.append(name: "Sec-WebSocket-Extensions", value: value) }
    return headers
  }
}
