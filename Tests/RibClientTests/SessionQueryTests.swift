import RibClient
import Testing

/// How the URL of a connection names its session.
struct SessionQueryTests {
  @Test func url_namesASessionThatIsResumed() {
    let query = SessionQuery(sessionID: "76da5f6ef830c87d4f5c83e9018eeb23")
    #expect(query.added(to: "/v1/socket") == "/v1/socket?sid=76da5f6ef830c87d4f5c83e9018eeb23")
  }

  @Test(arguments: [
    ("wss://a.example/v1/socket", "wss://a.example/v1/socket?sid=S"), ("/v1/socket?", "/v1/socket?sid=S"),
    ("/v1/socket?a=b&c", "/v1/socket?a=b&c&sid=S"), ("/v1/socket?a=%2F?&c=", "/v1/socket?a=%2F?&c=&sid=S"),
    ("/v1/socket?sid=other", "/v1/socket?sid=S"), ("/v1/socket?sid=1&a=b&sid&sid=2", "/v1/socket?a=b&sid=S"),
    ("/v1/socket?side=x&asid=y&SID=z", "/v1/socket?side=x&asid=y&SID=z&sid=S"),
  ])
  func query_isAddedToTheURLsOwn_orReplacesOne(url: String, expected: String) {
    #expect(SessionQuery(sessionID: "S").added(to: url) == expected)
  }

  @Test func shareToken_namesTheSessionBeforeItsFirstDot() {
    #expect(SessionQuery(shareToken: "76da5f6e.02d66127") == SessionQuery(sessionID: "76da5f6e"))
    #expect(SessionQuery(shareToken: "a.b.c") == SessionQuery(sessionID: "a"))
    #expect(SessionQuery(shareToken: "a.") == SessionQuery(sessionID: "a"))
  }

  /// What is no share token may be a secret.
  @Test(arguments: ["", "secret", ".", ".secret"])
  func otherText_namesNoSession(_ text: String) { #expect(SessionQuery(shareToken: text) == nil) }

  /// A share token is what somebody has typed: it adds nothing else to the request.
  @Test func value_isPercentEncoded() throws {
    let query = try #require(SessionQuery(shareToken: "a b&c=é#/?%\r\n\u{1}.d"))
    #expect(query.added(to: "/v1/socket") == "/v1/socket?sid=a%20b%26c%3D%C3%A9%23%2F%3F%25%0D%0A%01")
    #expect(SessionQuery(sessionID: "aZ09-._~").added(to: "/") == "/?sid=aZ09-._~")
  }
}
