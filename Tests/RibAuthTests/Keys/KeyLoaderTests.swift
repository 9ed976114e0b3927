import RibCore
import RibServer
import RibTestSupport
import Testing
import Wire

@testable import RibAuth

/// OpenID Connect Discovery, as an issuer in Python does it.
@Suite(.withIssuer, .timeLimit(.minutes(5))) struct KeyLoaderTests {
  private let issuer: Issuer
  private let clock = ManualClock()
  private let log = CollectedLog()

  init() throws { issuer = try Issuer.shared.get() }

  /// An authenticator of an issuer of its own, below a path, that says something of itself.
  private func authenticator(_ path: String, says document: JSONValue, tls: Bool = false) async throws
    -> JWTAuthenticator
  {
    try await issuer.serve(document.text, at: "\(path)/.well-known/openid-configuration")
    try await issuer.serve(issuer.set("rsa-1", kid: "a"), at: "\(path)/keys")
    return try JWTAuthenticator(url: "discover", clock: clock, log: log) {
      $0.issuer = name(path, tls: tls)
      $0.caFile = issuer.certificate
    }
  }

  private func name(_ path: String, tls: Bool = false) -> String { (tls ? issuer.https : issuer.http) + path }

  private func token(_ path: String, tls: Bool = false) async throws -> String {
    try await issuer.token(
      Issuer.claims(["iss": .string(name(path, tls: tls))]), key: "rsa-1", alg: "RS256", kid: "a")
  }

  @Test(arguments: [false, true]) func keys_areWhereTheIssuerSays(tls: Bool) async throws {
    let path = "/discovery-\(tls)"
    let name = name(path, tls: tls)
    let authenticator = try await authenticator(
      path, says: ["issuer": .string(name), "jwks_uri": .string(name + "/keys"), "scopes_supported": ["openid"]],
      tls: tls)
    let identity = try #require(await authenticator.identity(token(path, tls: tls)))
    #expect(identity.issuer == name && identity.subject == "ada")
    clock.advance(3600)
    clock.jump(-3600)
    try await authenticator.identity(token(path, tls: tls))
    #expect(
      try await issuer.count("\(path)/.well-known/openid-configuration") == 2, "the URL may be another one by now")
    #expect(try await issuer.count("\(path)/keys") == 2)
  }

  @Test func documentOfAnotherIssuer_isNotBelieved() async throws {
    let path = "/discovery-other"
    let documents: [JSONValue] = [
      ["issuer": "https://other.example", "jwks_uri": .string(name("\(path)-0/keys"))],
      ["jwks_uri": .string(name("\(path)-1/keys"))], ["issuer": .string(name("\(path)-2"))],
      ["issuer": .string(name("\(path)-3")), "jwks_uri": "http://id.example.com/keys"],
      ["issuer": .string(name("\(path)-4")), "jwks_uri": "file:///etc/passwd"], [],
    ]
    for (number, document) in documents.enumerated() {
      let authenticator = try await authenticator("\(path)-\(number)", says: document)
      guard case .unavailable? = await authenticator.refusal(try await token("\(path)-\(number)")) else {
        Issue.record("\(document.text) is believed")
        continue
      }
      #expect(log.all.last?.text.contains("it names another issuer, or no jwks_uri") == true, "\(log.texts)")
      #expect(try await issuer.count("\(path)-\(number)/keys") == 0)
    }
  }

  /// What came over TLS does not lead to what does not, this machine or not.
  @Test func documentByTLS_leadsToTLS() async throws {
    let path = "/discovery-down"
    let authenticator = try await authenticator(
      path, says: ["issuer": .string(name(path, tls: true)), "jwks_uri": .string(name(path) + "/keys")], tls: true)
    guard case .unavailable? = await authenticator.refusal(try await token(path, tls: true)) else {
      Issue.record("it is followed")
      return
    }
    #expect(try await issuer.count("\(path)/keys") == 0)
  }
}
