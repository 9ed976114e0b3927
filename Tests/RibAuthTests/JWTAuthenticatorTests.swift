import Foundation
import RibCore
import RibServer
import RibTestSupport
import Testing
import Wire

@testable import RibAuth

/// Tokens that joserfc has made, good and forged.
@Suite(.withIssuer, .timeLimit(.minutes(5))) struct JWTAuthenticatorTests {
  private let issuer: Issuer
  private let folder: ScratchFolder
  private let clock = ManualClock()

  init() throws {
    issuer = try Issuer.shared.get()
    folder = try ScratchFolder()
  }

  private func authenticator(
    _ set: String, _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws -> JWTAuthenticator {
    try JWTAuthenticator(set: set, in: folder, clock: clock, change)
  }

  static let algorithms: [(alg: String, key: String)] = [
    ("RS256", "rsa-1"), ("RS384", "rsa-1"), ("RS512", "rsa-1"), ("PS256", "rsa-1"), ("PS384", "rsa-1"),
    ("PS512", "rsa-1"),
    ("ES256", "p256-1"), ("ES384", "p384-1"), ("ES512", "p521-1"), ("EdDSA", "ed25519-1"), ("Ed25519", "ed25519-1"),
  ]

  @Test(arguments: algorithms) func joserfcsToken_isAccepted(alg: String, key: String) async throws {
    let algorithm = try #require(JWTSettings.Algorithm(name: alg))
    let authenticator = try authenticator(try await issuer.set(key, kid: "a", alg: alg)) { $0.algorithms = [algorithm] }
    let claims = Issuer.claims(["roles": ["staff"], "email": "ada@example.com"])
    let token = try await issuer.token(claims, key: key, alg: alg, kid: "a")
    let identity = try #require(await authenticator.identity(token))
    #expect(identity.subject == "ada" && identity.issuer == Issuer.name && identity.roles == ["staff"])
    #expect(identity.issued == Date(timeIntervalSince1970: Double(ManualClock.start)))
    #expect(identity.expires == Date(timeIntervalSince1970: Double(ManualClock.start + 600)))
  }

  /// One bit anywhere, an empty signature, another key: none of it is a signature.
  @Test(arguments: algorithms) func changedToken_isRefused(alg: String, key: String) async throws {
    let algorithm = try #require(JWTSettings.Algorithm(name: alg))
    let authenticator = try authenticator(try await issuer.set(key, kid: "a", alg: alg)) { $0.algorithms = [algorithm] }
    let parts = try await issuer.token(key: key, alg: alg, kid: "a").split(separator: ".").map(String.init)
    let payload = encode(Data(Issuer.claims(["sub": "eve"]).text.utf8))
    let signature = try #require(Base64URL.decode(parts[2].utf8))
    var forged = ["\(parts[0]).\(payload).\(parts[2])", "\(parts[0]).\(parts[1])."]
    for index in [0, signature.count / 2, signature.count - 1] {
      var changed = signature
      changed[index] ^= 1
      forged.append("\(parts[0]).\(parts[1]).\(encode(Data(changed)))")
    }
    for changed in [signature.dropLast(), signature + [0], [UInt8](repeating: 0, count: signature.count)] {
      forged.append("\(parts[0]).\(parts[1]).\(encode(Data(changed)))")
    }
    let otherKey = key.replacing("-1", with: "-2")
    forged.append(try await issuer.token(key: otherKey, alg: alg, kid: "a"))
    for token in forged { #expect(await authenticator.refusal(token) == TokenFault.badSignature.error) }
  }

  // MARK: What jwt-kit alone takes, or falls over

  /// A forged token with another algorithm comes first: the key keeps the one that the configuration gave it.
  @Test func forgedAlgorithm_doesNotPinAKey() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a")) {
      $0.algorithms = [.rs256, .rs512, .ps256]
    }
    for alg in ["RS512", "PS256"] {
      let forged =
        [#"{"alg":"\#(alg)","kid":"a"}"#, Issuer.claims().text].map { encode(Data($0.utf8)) }
        .joined(separator: ".") + ".AQID"
      #expect(await authenticator.refusal(forged) == TokenFault.otherAlgorithmThanKey.error)
      let signed = try await issuer.token(key: "rsa-1", alg: alg, kid: "a")
      #expect(
        await authenticator.refusal(signed) == TokenFault.otherAlgorithmThanKey.error, "signed, and not as agreed")
    }
    try await authenticator.identity(issuer.token(key: "rsa-1", alg: "RS256", kid: "a"))
  }

  @Test func unknownKey_isNotAnotherOne() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.token(key: "rsa-1", alg: "RS256", kid: "b")
    #expect(await authenticator.refusal(token) == TokenFault.unknownKey.error)
    for kid in ["../../etc/passwd", "", "a ", "A", "a\0"] {
      let token = try await issuer.token(key: "rsa-1", alg: "RS256", kid: kid)
      #expect(await authenticator.refusal(token) == TokenFault.unknownKey.error)
    }
  }

  @Test func criticalExtension_isRefused_thoughItIsSigned() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.signed(
      header: #"{"alg":"RS256","kid":"a","crit":["exp"],"exp":1}"#, key: "rsa-1", alg: "RS256")
    #expect(await authenticator.refusal(token) == TokenFault.critical.error)
  }

  @Test func hugeExpiry_isCutDown() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let payload = Issuer.claims(["exp": nil]).text.dropLast() + #","exp":1e300}"#
    let token = try await issuer.signed(
      header: #"{"alg":"RS256","kid":"a"}"#, payload: String(payload), key: "rsa-1", alg: "RS256")
    let identity = try #require(await authenticator.identity(token))
    #expect(identity.expires == Date(timeIntervalSince1970: Double(ManualClock.start + 86_400)))
  }

  @Test func clocks_mayDiffer() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.token(key: "rsa-1", alg: "RS256", kid: "a")
    clock.jump(629)
    try await authenticator.identity(token)
    clock.jump(1)
    #expect(await authenticator.refusal(token) == .expired)
    clock.jump(-630 - 31)
    #expect(await authenticator.refusal(token) == TokenFault.issuedInTheFuture.error)
  }

  @Test func emptyAudience_isRefused_andTheProcessGoesOn() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.token(Issuer.claims(["aud": []]), key: "rsa-1", alg: "RS256", kid: "a")
    #expect(await authenticator.refusal(token) == TokenFault.audience.error)
    let forged = token.split(separator: ".").prefix(2).joined(separator: ".") + ".AAAA"
    #expect(await authenticator.refusal(forged) == TokenFault.badSignature.error)
  }

  // MARK: Confused keys

  /// HS256 with the public key, which everybody has, as the secret.
  @Test func publicKey_isNoSecret() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.signed(
      header: #"{"alg":"HS256","kid":"a"}"#, key: "rsa-1", alg: "HS256", secretIsPublicKey: true)
    #expect(await authenticator.refusal(token) == TokenFault.algorithm.error)
  }

  @Test func keyOfOneKind_doesNotCheckAnother() async throws {
    let set = issuer.set([
      try await issuer.key("rsa-1", ["kid": "r"]), try await issuer.key("p256-1", ["kid": "e"]),
    ])
    let authenticator = try authenticator(set)
    for (key, alg, kid) in [("rsa-1", "RS256", "e"), ("p256-1", "ES256", "r"), ("ed25519-1", "EdDSA", "e")] {
      let token = try await issuer.token(key: key, alg: alg, kid: kid)
      #expect(await authenticator.refusal(token) == TokenFault.otherAlgorithmThanKey.error)
    }
  }

  /// A key that comes with the token: its owner is everybody.
  @Test func keyInTheHeader_isNotLookedAt() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let own = try await issuer.key("rsa-2", ["kid": "a"])
    for header in [["jwk": own], ["jku": .string(issuer.http + "/jku")], ["x5u": .string(issuer.http + "/jku")]]
      as [JSONValue]
    {
      let token = try await issuer.signed(
        header: header.with(["alg": "RS256", "kid": "a"]).text, key: "rsa-2", alg: "RS256")
      #expect(await authenticator.refusal(token) == TokenFault.badSignature.error)
    }
    #expect(try await issuer.count("/jku") == 0)
  }

  @Test func tokenWithoutName_isForTheOnlyKey() async throws {
    let token = try await issuer.token(key: "rsa-1", alg: "RS256")
    let one = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    try await one.identity(token)
    let two = try authenticator(
      issuer.set([try await issuer.key("rsa-1", ["kid": "a"]), try await issuer.key("rsa-2", ["kid": "b"])]))
    #expect(await two.refusal(token) == TokenFault.keyNotNamed.error)
  }

  @Test func repeatedClaim_isRefused_thoughItIsSigned() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.signed(
      header: #"{"alg":"RS256","kid":"a"}"#, payload: Issuer.claims().text.dropLast() + #","sub":"eve"}"#, key: "rsa-1",
      alg: "RS256")
    #expect(await authenticator.refusal(token) == TokenFault.repeatedMember(.payload).error)
  }

  // MARK: Secrets

  @Test func secret_andTheOneBefore_areAccepted_forAsLongAsTheyAre() async throws {
    let current = try folder.write(try await issuer.secret("secret-1") + "\n", to: "secret")
    let previous = try folder.write(try await issuer.secret("secret-2"), to: "previous")
    let settings = JWTSettings.tests {
      $0.secretFile = current
      $0.previousSecretFile = previous
      $0.previousSecretUntil = Date(timeIntervalSince1970: Double(ManualClock.start + 60))
      $0.algorithms = [.hs256]
    }
    let authenticator = try JWTAuthenticator(settings, logger: CollectedLog().logger, environment: clock.environment)
    let tokens = [
      try await issuer.token(key: "secret-1", alg: "HS256"),
      try await issuer.token(key: "secret-2", alg: "HS256", kid: "old"),
    ]
    for token in tokens { try await authenticator.identity(token) }
    let stranger = try await issuer.token(key: "secret-3", alg: "HS256")
    #expect(await authenticator.refusal(stranger) == TokenFault.badSignature.error)
    #expect(
      await authenticator.refusal(try await issuer.token(key: "rsa-1", alg: "RS256")) == TokenFault.algorithm.error)
    clock.advance(60)
    try await authenticator.identity(tokens[0])
    #expect(await authenticator.refusal(tokens[1]) == TokenFault.badSignature.error)
  }

  // MARK: Requests

  @Test func missingCredential_isRefused_unlessNoneIsRequired() async throws {
    let set = try await issuer.set("rsa-1", kid: "a")
    let request = AuthenticationRequest(.begin(app: "a"), credential: nil)
    let strict = try authenticator(set)
    await #expect(throws: AuthenticationError.missing) { try await strict.authenticate(request) }
    let open = try authenticator(set) { $0.required = false }
    #expect(try await open.authenticate(request) == nil)
    #expect(await open.refusal("nonsense") == TokenFault.notThreeParts.error, "a bad token is not none")
  }

  @Test func cookie_isATokenAsWell() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a"))
    let token = try await issuer.token(key: "rsa-1", alg: "RS256", kid: "a")
    let request = AuthenticationRequest(.renew(session: "s"), credential: .cookie(token))
    #expect(try await authenticator.authenticate(request)?.subject == "ada")
  }

  // MARK: Issuers as they are

  @Test func keycloaksSet_andToken_areAccepted() async throws {
    let set = issuer.set([
      try await issuer.key("rsa-2", ["kid": "enc", "use": "enc", "alg": "RSA-OAEP", "x5c": ["MIIC"], "x5t": "t"]),
      try await issuer.key("rsa-1", ["kid": "sig", "use": "sig", "alg": "RS256", "x5c": ["MIIC"], "x5t#S256": "t"]),
    ])
    let authenticator = try authenticator(set) {
      $0.rolesClaim = "realm_access.roles"
      $0.claims = ["preferred_username"]
    }
    let claims = Issuer.claims([
      "typ": "Bearer", "azp": "web", "aud": ["account", "ribserver"],
      "realm_access": ["roles": ["staff", "uma_authorization"]],
      "scope": "openid profile", "preferred_username": "ada", "jti": "1", "sid": "2", "acr": "1",
    ])
    let token = try await issuer.token(claims, key: "rsa-1", alg: "RS256", kid: "sig", header: ["typ": "JWT"])
    let identity = try #require(await authenticator.identity(token))
    #expect(identity.roles == ["staff", "uma_authorization"] && identity.claims == ["preferred_username": "ada"])
  }

  /// Keys without `alg`, several of them, and `nbf` five minutes before.
  @Test func entrasSet_andToken_areAccepted() async throws {
    let set = issuer.set([
      try await issuer.key(
        "rsa-2", ["kid": "x", "use": "sig", "x5t": "x", "x5c": ["MIIC"], "issuer": .string(Issuer.name)]),
      try await issuer.key(
        "rsa-1", ["kid": "y", "use": "sig", "x5t": "y", "x5c": ["MIIC"], "issuer": .string(Issuer.name)]),
    ])
    let authenticator = try authenticator(set)
    let now = Int64(ManualClock.start)
    let claims = Issuer.claims([
      "nbf": .integer(now - 300), "iat": .integer(now - 300), "oid": "o", "tid": "t", "ver": "2.0",
      "roles": ["Task.Write"],
    ])
    let token = try await issuer.token(
      claims, key: "rsa-1", alg: "RS256", kid: "y", header: ["x5t": "y", "typ": "JWT"])
    #expect(try await authenticator.identity(token)?.roles == ["Task.Write"])
  }

  @Test func auth0sToken_isAccepted_withRolesUnderAURL() async throws {
    let authenticator = try authenticator(try await issuer.set("rsa-1", kid: "a", alg: "RS256")) {
      $0.types = ["at+jwt"]
      $0.rolesClaim = "https://app.example.com/roles"
    }
    let claims = Issuer.claims([
      "aud": ["ribserver", "https://tenant.eu.auth0.com/userinfo"], "sub": "auth0|1",
      "https://app.example.com/roles": ["admin"],
    ])
    let token = try await issuer.token(claims, key: "rsa-1", alg: "RS256", kid: "a", header: ["typ": "at+jwt"])
    #expect(try await authenticator.identity(token)?.roles == ["admin"])
    let idToken = try await issuer.token(claims, key: "rsa-1", alg: "RS256", kid: "a", header: ["typ": "JWT"])
    #expect(await authenticator.refusal(idToken) == TokenFault.type.error)
  }

  // MARK: Costs

  /// What a verification takes, for whoever decides how many forged tokens a second are too many.
  @Test(arguments: [("RS256", "rsa-1"), ("ES256", "p256-1"), ("EdDSA", "ed25519-1")])
  func verification_isCheap(alg: String, key: String) async throws {
    let authenticator = try authenticator(try await issuer.set(key, kid: "a"))
    let token = try await issuer.token(key: key, alg: alg, kid: "a")
    let count = TestRun.volume(200, nightly: 5000)
    let start = ContinuousClock.now
    for _ in 0..<count { try await authenticator.identity(token) }
    let each = (ContinuousClock.now - start) / count
    print("A verification by \(alg) takes \(each).")
    if TestRun.judgesTime { #expect(each < .milliseconds(5)) }
  }
}
