import Foundation
import Testing

@testable import RibAuth

@Suite struct JWTSettingsCheckTests {
  private func result(_ change: (inout JWTSettings) -> Void) -> Result<KeyLocation, JWTSettingsError> {
    var settings = JWTSettings(issuer: "https://id.example.com", audience: "app")
    change(&settings)
    return Result { () throws(JWTSettingsError) in try settings.check() }
  }

  @Test func location_followsFromTheOneThatIsSet() throws {
    #expect(result { $0.keysFile = "/keys" } == .success(.file("/keys")))
    #expect(try result { $0.keysURL = "https://a/b" }.get() == .url(#require(KeyURL("https://a/b"))))
    let document = try #require(KeyURL("https://id.example.com/.well-known/openid-configuration"))
    #expect(result { $0.keysURL = "discover" } == .success(.discovery(document, issuer: "https://id.example.com")))
    let secret = result {
      $0.secretFile = "/secret"
      $0.algorithms = [.hs256]
    }
    #expect(secret == .success(.secret))
  }

  /// Auth0's issuers end with a slash.
  @Test func discovery_knowsOfAnIssuersSlash() throws {
    let document = try #require(KeyURL("https://id.example.com/a/.well-known/openid-configuration"))
    let found = result {
      $0.issuer = "https://id.example.com/a/"
      $0.keysURL = "discover"
    }
    #expect(found == .success(.discovery(document, issuer: "https://id.example.com/a/")))
  }

  static let faults: [(JWTSettingsError, @Sendable (inout JWTSettings) -> Void)] = [
    (.missing("issuer"), { $0.issuer = "" }), (.missing("audience"), { $0.audience = "" }),
    (.missing("types"), { $0.types = [] }), (.keySources(0), { $0.keysFile = "" }),
    (.keySources(2), { $0.keysURL = "discover" }),
    (.keySources(3), { ($0.keysURL, $0.secretFile) = ("discover", "a") }),
    (.insecureURL("http://a/b"), { ($0.keysFile, $0.keysURL) = ("", "http://a/b") }),
    (
      .insecureURL("id/.well-known/openid-configuration"),
      { ($0.issuer, $0.keysFile, $0.keysURL) = ("id", "", "discover") }
    ),
    (.algorithms, { $0.algorithms = [] }), (.algorithms, { $0.algorithms = [.hs256] }),
    (.algorithms, { $0.algorithms.append(.hs256) }), (.algorithms, { ($0.keysFile, $0.secretFile) = ("", "a") }),
    (.algorithms, { ($0.keysFile, $0.secretFile, $0.algorithms) = ("", "a", [.hs256, .rs256]) }),
    (.outOfRange("leewaySeconds", 0...600), { $0.leewaySeconds = 601 }),
    (.outOfRange("leewaySeconds", 0...600), { $0.leewaySeconds = -1 }),
    (.outOfRange("maxLifetimeSeconds", 1...4_294_967_295), { $0.maxLifetimeSeconds = 0 }),
    (.outOfRange("keysRefreshSeconds", 60...4_294_967_295), { $0.keysRefreshSeconds = 59 }),
    (.outOfRange("keysCooldownSeconds", 1...3600), { $0.keysCooldownSeconds = 0 }),
    (.outOfRange("keysMaxStaleSeconds", 0...4_294_967_295), { $0.keysMaxStaleSeconds = -1 }),
    (.outOfRange("keysTimeoutSeconds", 1...60), { $0.keysTimeoutSeconds = 0 }),
    (.previousSecretWithoutEnd, { $0.previousSecretFile = "old" }),
  ]

  @Test(arguments: faults.indices) func senseless_isRefused_withASentence(index: Int) {
    let (expected, change) = Self.faults[index]
    #expect(
      result {
        $0.keysFile = "/keys"
        change(&$0)
      } == .failure(expected))
    #expect(expected.description.hasSuffix("."))
  }

  /// A URL with a user is none to fetch keys from; its password is in no line of the log.
  @Test func passwordInAURL_isNotRepeated() {
    let found = result { $0.keysURL = "https://ada:mark@id.example.com/keys" }
    guard case .failure(let error) = found else { return #expect(Bool(false), "\(found)") }
    #expect(error.description.contains("\"https://…@id.example.com/keys\"") && !error.description.contains("mark"))
  }
}
