import Foundation
import RibCore
import Testing
import Wire

@testable import RibAuth

@Suite struct ClaimCheckTests {
  private static let now = ManualClock.start

  private func identity(
    _ text: String, _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws -> Result<Identity, TokenFault> {
    var reader = JSONReader()
    let claims = try reader.read(text).root
    return Result { () throws(TokenFault) in try ClaimCheck(.tests(change)).identity(of: claims, at: Self.now) }
  }

  private func identity(
    _ changes: JSONValue, _ change: (inout JWTSettings) -> Void = { _ in }
  ) throws -> Result<Identity, TokenFault> {
    try identity(Issuer.claims(changes).text, change)
  }

  private func fault(_ result: Result<Identity, TokenFault>) -> TokenFault? {
    if case .failure(let fault) = result { fault } else { nil }
  }

  @Test func rightClaims_areAnIdentity() throws {
    let identity = try identity(["roles": ["staff", "admin"], "email": "ada@example.com"]).get()
    #expect(identity.subject == "ada" && identity.issuer == Issuer.name && identity.roles == ["admin", "staff"])
    #expect(identity.claims.isEmpty)
    #expect(identity.issued == Date(timeIntervalSince1970: Double(Self.now)))
    #expect(identity.expires == Date(timeIntervalSince1970: Double(Self.now + 600)))
  }

  @Test(
    arguments: [
      nil, "", "https://issuer.example.com", "HTTPS://issuer.example.com/", ["https://issuer.example.com/"], 1,
    ]
      as [JSONValue])
  func issuer_isExactlyOurs(issuer: JSONValue) throws {
    #expect(fault(try identity(["iss": issuer])) == .issuer)
  }

  /// Also what Swift calls equal, though its bytes differ.
  @Test func issuer_isComparedByteByByte() throws {
    let composed = { (settings: inout JWTSettings) in settings.issuer = "https://\u{E9}.example" }
    #expect(fault(try identity(["iss": "https://e\u{301}.example"], composed)) == .issuer)
    #expect(fault(try identity(["iss": "https://\u{E9}.example"], composed)) == nil)
  }

  @Test(
    arguments: [
      ("ribserver", true), (["ribserver"], true), (["other", "ribserver"], true), ([], false), (["other"], false),
      ("ribserver ", false), ("Ribserver", false), (["ribserver", 1], false), ([["ribserver"]], false),
      (["aud": "ribserver"], false), (nil, false), (1, false), (true, false), ("", false),
    ] as [(JSONValue, Bool)])
  func audience_namesThisServer(audience: JSONValue, isAccepted: Bool) throws {
    #expect(fault(try identity(["aud": audience])) == (isAccepted ? nil : .audience))
  }

  /// Seconds from now; the leeway is 30.
  @Test(
    arguments: [(600, nil), (1, nil), (0, nil), (-29, nil), (-30, .expired), (-31, .expired), (-10_000, .expired)]
      as [(Int, TokenFault?)])
  func expiry_isPastWithItsLeeway(seconds: Int, expected: TokenFault?) throws {
    #expect(fault(try identity(["exp": .integer(Int64(Self.now + seconds))])) == expected)
  }

  @Test(
    arguments: [
      ("1800000600", nil), ("1800000600.75", nil), ("1.8000006e9", nil), (#""1800000600""#, .badTime),
      ("null", .badTime),
      ("true", .badTime), ("[1800000600]", .badTime), ("1e400", .badTime), ("1e300", nil), ("10000000001", nil),
      ("9223372036854775807", nil), ("123456789012345678901234567890", nil), ("-1", .expired), ("-1e300", .expired),
      ("0", .expired), ("-0.0", .expired), ("0.1e-300", .expired),
    ] as [(String, TokenFault?)])
  func expiry_isANumberOfSeconds(text: String, expected: TokenFault?) throws {
    let claims = Issuer.claims(["exp": nil]).text.dropLast() + #","exp":\#(text)}"#
    #expect(fault(try identity(String(claims))) == expected)
  }

  @Test func expiry_isNeeded() throws {
    #expect(fault(try identity(["exp": nil])) == .expiryMissing)
  }

  @Test func expiry_isCutDown() throws {
    let far = try identity(["exp": .number(1e300)]).get()
    #expect(far.expires == Date(timeIntervalSince1970: Double(Self.now + 86_400)))
    let short = try identity(["exp": .integer(Int64(Self.now + 600))]) { $0.maxLifetimeSeconds = 60 }.get()
    #expect(short.expires == Date(timeIntervalSince1970: Double(Self.now + 60)))
  }

  @Test(
    arguments: [
      ("nbf", -600, nil), ("nbf", 30, nil), ("nbf", 31, .notYetValid), ("iat", -600, nil), ("iat", 30, nil),
      ("iat", 31, .issuedInTheFuture),
    ] as [(String, Int, TokenFault?)])
  func beginning_isNotInTheFuture(name: String, seconds: Int, expected: TokenFault?) throws {
    #expect(fault(try identity([(name, .integer(Int64(Self.now + seconds)))].object)) == expected)
  }

  @Test(arguments: ["nbf", "iat"]) func beginning_isANumber_orLeftOut(name: String) throws {
    for other in ["1800000000", [], true, [:]] as [JSONValue] {
      #expect(fault(try identity([(name, other)].object)) == .badTime)
    }
    #expect(fault(try identity([(name, .number(1e300))].object)) != nil)
    #expect(fault(try identity([(name, nil)].object)) == nil)
    #expect(
      fault(try identity(String(Issuer.claims([(name, nil)].object).text.dropLast() + #","\#(name)":null}"#)))
        == .badTime)
  }

  @Test func issued_isNil_ifTheTokenDoesNotSay() throws {
    #expect(try identity(["iat": nil]).get().issued == nil)
  }

  @Test(
    arguments: [
      ("a", true), (.string(String(repeating: "s", count: 255)), true),
      (.string(String(repeating: "s", count: 256)), false),
      (.string(String(repeating: "é", count: 128)), false), ("", false), (nil, false), (1, false), (["a"], false),
    ] as [(JSONValue, Bool)])
  func subject_isTextOf1To255Bytes(subject: JSONValue, isAccepted: Bool) throws {
    #expect(fault(try identity(["sub": subject])) == (isAccepted ? nil : .subject))
  }

  @Test(
    arguments: [
      ("roles", ["roles": ["a", "b"]], ["a", "b"]), ("roles", ["roles": "a b  c"], ["a", "b", "c"]), ("roles", [:], []),
      ("roles", ["roles": []], []), ("roles", ["roles": ""], []), ("scp", ["scp": "read write"], ["read", "write"]),
      ("realm_access.roles", ["realm_access": ["roles": ["offline_access", "staff"]]], ["offline_access", "staff"]),
      ("realm_access.roles", ["realm_access": "staff"], []),
      ("https://app.example.com/roles", ["https://app.example.com/roles": ["a"]], ["a"]),
      ("resource_access.app.roles", ["resource_access": ["app": ["roles": ["a"]]]], ["a"]),
    ] as [(String, JSONValue, Set<String>)])
  func roles_areWhereTheSettingSays(name: String, claims: JSONValue, roles: Set<String>) throws {
    #expect(try identity(claims) { $0.rolesClaim = name }.get().roles == roles)
  }

  @Test(arguments: [1, ["a", 1], ["a": "b"], true] as [JSONValue])
  func roles_thatAreNone_areRefused(roles: JSONValue) throws {
    #expect(fault(try identity(["roles": roles])) == .roles)
  }

  @Test func claims_areThoseThatAreNamed() throws {
    let identity = try identity(["email": "a@b.c", "n": 1.5, "address": ["country": "UK"], "secret": "x"]) {
      $0.claims = ["email", "n", "address.country", "missing"]
    }.get()
    #expect(identity.claims == ["email": "a@b.c", "n": 1.5, "address.country": "UK"])
  }

  @Test func claims_areLimited() throws {
    let text = { JSONValue.string(String(repeating: "x", count: $0)) }
    let keep = { (settings: inout JWTSettings) in settings.claims = ["a"] }
    let most = 4096 - #"{"a":""}"#.utf8.count
    #expect(fault(try identity(["a": text(most)], keep)) == nil)
    #expect(fault(try identity(["a": text(most + 1)], keep)) == .claimsTooLarge)
    #expect(fault(try identity(["a": text(6000)])) == nil, "a claim that is not kept")
    let roles = { JSONValue.string(String(repeating: "r", count: $0)) }
    #expect(fault(try identity(["a": text(most - 9), "roles": roles(9)], keep)) == nil)
    #expect(fault(try identity(["a": text(most - 9), "roles": roles(10)], keep)) == .claimsTooLarge)
  }
}

extension [(String, JSONValue)] {
  /// An object with these members.
  fileprivate var object: JSONValue {
    var object = JSONObject()
    for (key, value) in self { object[key] = value }
    return .object(object)
  }
}
