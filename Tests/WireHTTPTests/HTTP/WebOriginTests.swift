import Testing

@testable import WireHTTP

struct WebOriginTests {
  @Test(arguments: [
    ("https://app.example.com", "https://app.example.com"), ("HTTPS://App.Example.COM", "https://app.example.com"),
    ("https://a:443", "https://a"), ("http://a:80", "http://a"), ("http://a:443", "http://a:443"),
    ("https://a:", "https://a"),
    ("http://[::1]:8080", "http://[::1]:8080"), ("http://[0:0::1]", "http://[::1]"),
    ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ("capacitor://localhost", "capacitor://localhost"), ("https://a.", "https://a."),
  ])
  func origin_isReadInItsOneForm(_ text: String, _ written: String) throws {
    #expect(try #require(WebOrigin(text)).description == written)
  }

  @Test(arguments: [
    "", "null", "https://", "app.example.com", "https://a/", "https://a/b", "https://a?b", "https://user@a",
    "https://user:pass@a",
    "https://bücher.example", "https://a b", "https://a,https://b", "https://a https://b", "https://[::1",
    "https://::1", "https://a:65536",
    "https://a:+1", "https://a:8a", "://a", "1http://a", "https:a", "https:/a", "https://.a", "https://*.example.com",
    "https://a%2eb",
  ])
  func somethingElse_isNone(_ text: String) { #expect(WebOrigin(text) == nil) }

  @Test(arguments: [
    ("https://a", "a", true), ("https://a", "a:443", true), ("https://a", "A", true), ("http://a", "a:443", false),
    ("https://a:8443", "a", false),
    ("http://a:8080", "a:8080", true), ("http://a", "b", false), ("http://[::1]:80", "[0::1]", true),
    ("http://a.", "a", false),
  ])
  func originOfAHost_isAtIt(_ origin: String, _ host: String, _ isAt: Bool) throws {
    #expect(try #require(WebOrigin(origin)).isAt(#require(Authority(host))) == isAt)
  }

  /// Where a host's name is only a part of another one's, and whatever else has fooled comparisons.
  @Test(arguments: [
    ("https://app.example.com", "https://app.example.com", true),
    ("https://app.example.com", "https://app.example.com.evil.com", false),
    ("https://app.example.com", "https://evilapp.example.com", false),
    ("https://app.example.com", "https://appXexample.com", false),
    ("https://app.example.com", "https://app.example.com.", false),
    ("https://app.example.com", "http://app.example.com", false),
    ("https://app.example.com", "https://app.example.com:8443", false),
    ("https://app.example.com:443", "https://app.example.com", true),
    ("https://*.example.com", "https://a.example.com", true),
    ("https://*.example.com", "https://a.b.example.com", true),
    ("https://*.example.com", "https://example.com", false),
    ("https://*.example.com", "https://evil-example.com", false),
    ("https://*.example.com", "https://evilexample.com", false),
    ("https://*.example.com", "https://.example.com.evil.com", false),
    ("https://*.example.com:8443", "https://a.example.com:8443", true),
    ("https://*.example.com:8443", "https://a.example.com", false),
    ("HTTPS://*.Example.com", "https://A.EXAMPLE.com", true),
    ("http://localhost:*", "http://localhost:8080", true), ("http://localhost:*", "http://LOCALHOST", true),
    ("http://localhost:*", "https://localhost", false), ("http://localhost:*", "http://localhost.example.com:1", false),
    ("http://[::1]:*", "http://[::1]:3000", true), ("http://127.0.0.1:*", "http://127.0.0.2:3000", false),
  ])
  func pattern_matchesWhatItMeans(_ pattern: String, _ origin: String, _ matches: Bool) throws {
    let pattern = try #require(OriginPattern(pattern))
    #expect((WebOrigin(origin).map(pattern.matches) ?? false) == matches)
  }

  @Test(arguments: [
    "", "*", "null", "example.com", "https://*", "https://*.com", "https://*.", "https://*.example.", "https://*.*.com",
    "https://a.*.com",
    "https://*example.com", "https://*.1.2.3.4", "https://app.example.com/path", "https://*..com", ":*", "http://:*",
    "http://localhost:80:*", "http://localhost:*:*",
  ])
  func patternOfTooMany_isNone(_ text: String) { #expect(OriginPattern(text) == nil) }
}
