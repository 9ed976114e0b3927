import RibTestSupport
import Testing
import Wire

@testable import RibAuth

@Suite(.withIssuer) struct KeySetTests {
  private let issuer: Issuer
  private static let algorithms: [JWTSettings.Algorithm] = [.rs256, .es256, .edDSA]

  init() throws { issuer = try Issuer.shared.get() }

  private func read(
    _ keys: [JSONValue], _ algorithms: [JWTSettings.Algorithm] = algorithms
  ) async throws(KeyError) -> KeySet {
    try await KeySet(Array(issuer.set(keys).utf8), for: algorithms)
  }

  private func error(_ text: String) async -> KeyError? {
    do throws(KeyError) {
      _ = try await KeySet(Array(text.utf8), for: Self.algorithms)
      return nil
    } catch {
      return error
    }
  }

  private func algorithm(_ lookup: KeySet.Lookup) -> JWTSettings.Algorithm? {
    if case .key(let key) = lookup { key.algorithm } else { nil }
  }

  @Test func keyWithoutAlgorithm_getsOneByItsKindAndTheConfiguration() async throws {
    let keys = [
      try await issuer.key("rsa-1", ["kid": "r", "alg": nil]),
      try await issuer.key("p256-1", ["kid": "e", "alg": nil]),
      try await issuer.key("p384-1", ["kid": "e384", "alg": nil]),
      try await issuer.key("ed25519-1", ["kid": "d", "alg": nil]),
    ]
    let set = try await read(keys)
    #expect(algorithm(set.find("r")) == .rs256 && algorithm(set.find("e")) == .es256)
    #expect(algorithm(set.find("d")) == .edDSA)
    #expect(set.skipped == [SkippedKey(name: "e384", reason: .noAlgorithm)])
    let other = try await read(keys, [.es384, .ps512, .rs256])
    #expect(algorithm(other.find("r")) == .ps512 && algorithm(other.find("e384")) == .es384)
    #expect(other.count == 2)
  }

  @Test func keysAlgorithm_isTheOneItNames() async throws {
    let set = try await read(
      [
        try await issuer.key("rsa-1", ["kid": "r", "alg": "PS256"]),
        try await issuer.key("ed25519-1", ["kid": "d", "alg": "Ed25519"]),
      ],
      [.rs256, .ps256, .edDSA])
    #expect(algorithm(set.find("r")) == .ps256 && algorithm(set.find("d")) == .edDSA)
  }

  /// With jwt-kit alone any one of these makes the whole set unusable.
  @Test func oddKeys_areSkippedAndCounted() async throws {
    let good = try await issuer.key("rsa-1", ["kid": "good"])
    let odd: [(JSONValue, SkippedKey.Reason)] = [
      (try await issuer.key("rsa-2", ["kid": "enc", "use": "enc", "alg": "RSA-OAEP-256"]), .notForSignatures),
      (try await issuer.key("rsa-2", ["kid": "oaep", "alg": "RSA-OAEP-256"]), .algorithm),
      (try await issuer.key("rsa-2", ["kid": "ops", "key_ops": ["encrypt"]]), .notForSignatures),
      (try await issuer.key("rsa-2", ["kid": "use", "use": 1]), .notForSignatures),
      (try await issuer.key("secret-1", ["kid": "oct"]), .keyType),
      (try await issuer.key("secret-1", ["kid": "octsig", "use": "sig", "alg": "HS256"]), .keyType),
      (try await issuer.key("secp256k1-1", ["kid": "k1", "alg": "ES256K"]), .keyType),
      (try await issuer.key("x25519-1", ["kid": "x"]), .keyType),
      (try await issuer.key("rsa1024-1", ["kid": "short"]), .tooShort),
      (try await issuer.key("rsa-2", ["kid": "wrongalg", "alg": "ES256"]), .algorithm),
      (try await issuer.key("rsa-2", ["kid": "none", "alg": "none"]), .algorithm),
      (try await issuer.key("rsa-2", ["kid": "hs", "alg": "HS256"]), .algorithm),
      (try await issuer.key("p256-1", ["kid": "y", "y": nil]), .malformed),
      (try await issuer.key("p256-1", ["kid": "curve", "y": "AAAA"]), .malformed),
      (try await issuer.key("rsa-2", ["kid": "n", "n": "A=A"]), .malformed),
      (try await issuer.key("rsa-2", ["kid": "e", "e": "AA"]), .malformed),
      (try await issuer.key("ed25519-1", ["kid": "d", "x": "AAAA"]), .malformed),
      (["kty": "RSA", "kid": "empty"], .malformed), (["kid": "nothing"], .keyType), ("text", .notAnObject),
      (try await issuer.key("rsa-2", ["kid": nil]), .nameless),
      (try await issuer.key("rsa-2", ["kid": .string(String(repeating: "k", count: 300))]), .longName),
    ]
    for (key, reason) in odd {
      let set = try await read([key, good])
      #expect(set.count == 1 && set.skipped.map(\.reason) == [reason], "\(key.text)")
      #expect(algorithm(set.find("good")) == .rs256)
    }
    let all = try await read(odd.map(\.0) + [good])
    #expect(all.count == 1 && all.skipped.count == odd.count)
  }

  @Test func repeatedMember_makesNoKey() async throws {
    let good = try await issuer.key("rsa-1", ["kid": "good"]).text
    let twice = good.dropLast() + #","kid":"other"}"#
    let set = try await KeySet(Array(#"{"keys":[\#(twice),\#(good)]}"#.utf8), for: Self.algorithms)
    #expect(set.skipped.map(\.reason) == [.repeatedMember] && algorithm(set.find("good")) == .rs256)
  }

  @Test func firstOfTwoKeysWithOneName_counts() async throws {
    let set = try await read([
      try await issuer.key("p256-1", ["kid": "a"]), try await issuer.key("rsa-1", ["kid": "a"]),
    ])
    #expect(algorithm(set.find("a")) == .es256 && set.skipped == [SkippedKey(name: "a", reason: .repeatedName)])
    guard case .notNamed = set.find(nil) else {
      Issue.record("of two keys none is the only one")
      return
    }
  }

  /// Also if the issuer publishes one for encryption beside it, as Keycloak does.
  @Test func onlyKey_needsNoName() async throws {
    let nameless = try await issuer.key("rsa-1", ["kid": nil])
    let encryption = try await issuer.key("rsa-2", ["kid": "enc", "use": "enc"])
    let set = try await read([encryption, nameless])
    #expect(algorithm(set.find(nil)) == .rs256 && set.count == 1)
    #expect(algorithm(set.find("other")) == nil, "and is no other one")
    #expect(algorithm(try await read([try await issuer.key("rsa-1", ["kid": "a"])]).find(nil)) == .rs256)
  }

  /// Private members are not looked at: the key that is made is the public one.
  @Test func privateKey_isReadAsThePublicOne() async throws {
    let set = try await read([try await issuer.key("p256-1", ["kid": "a"], isPrivate: true)])
    #expect(algorithm(set.find("a")) == .es256)
  }

  @Test func otherText_isNoSet() async throws {
    guard case .notJSON(let fault)? = await error("<html>") else {
      Issue.record("a page is a set")
      return
    }
    #expect(fault.reason == .unexpectedByte)
    #expect(await error("[]") == .notAKeySet)
    #expect(await error("{}") == .notAKeySet)
    #expect(await error(#"{"keys":{}}"#) == .notAKeySet)
    #expect(await error(#"{"keys":[]}"#) == .noUsableKey([]))
    #expect(await error(#"{"keys":[1]}"#) == .noUsableKey([SkippedKey(name: nil, reason: .notAnObject)]))
    #expect(await error(#"{"keys":[]}"# + String(repeating: " ", count: KeySet.byteLimit)) == .tooLong)
    let many = #"{"keys":[\#(String(repeating: "{},", count: 10_000).dropLast())]}"#
    #expect(await error(many) == .tooManyKeys(10_000))
  }

  @Test func twoNamelessKeys_areNoSet() async throws {
    let set = issuer.set([try await issuer.key("rsa-1", ["kid": nil]), try await issuer.key("rsa-2", ["kid": nil])])
    let nameless = SkippedKey(name: nil, reason: .nameless)
    #expect(await error(set) == .noUsableKey([nameless, nameless]))
  }

  @Test func thousandKeys_areASet() async throws {
    let key = try await issuer.key("ed25519-1", ["alg": "EdDSA"])
    let set = try await read((0..<KeySet.keyLimit).map { key.with(["kid": .string("\($0)")]) })
    #expect(set.count == KeySet.keyLimit && set.skipped.isEmpty)
  }
}
