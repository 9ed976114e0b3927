import RibServer
import Testing
import WireHTTP

@testable import ribctl

struct DevIssuerServeTests {
  /// A page that a developer happens to open gets no token.
  @Test(arguments: [
    ("http://127.0.0.1:8080", true), ("http://localhost:5173", true), ("https://localhost", true),
    ("http://[::1]:3000", true), ("https://example.com", false), ("http://localhost.example.com", false),
    ("http://127.0.0.1.example.com:8080", false), ("http://192.168.0.2:8080", false),
  ])
  func pagesOfThisMachine_mayAskForTokens(_ page: String, _ mayAsk: Bool) throws {
    let settings = DevIssuer.Serve.settings(port: 9000)
    #expect(!settings.origins.contains("*"))
    let origin = try #require(WebOrigin(page))
    #expect(settings.origins.contains { OriginPattern($0)?.matches(origin) == true } == mayAsk)
  }
}
