import RibCore
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks a token's claims, and makes an identity of them.
struct ClaimCheck: Sendable {
  /// The most bytes of a subject, as ``RibCore/Identity/subject`` has it.
  private static let subjectLimit = 255
  /// The most bytes that an identity's roles, and its claims as JSON, may have together; no more than the server takes.
  static let claimsLimit = 4096
  /// Later times count as this one, in the year 2286: greater numbers may fit neither dates nor integers.
  private static let lastSecond = 1e10

  private let settings: JWTSettings

  /// A check.
  ///
  /// - Parameter settings: the values that claims are compared with.
  init(_ settings: JWTSettings) { self.settings = settings }

  /// Checks the issuer of a token, before its key is looked up.
  ///
  /// - Parameter claims: the token's payload.
  /// - Throws: ``TokenFault/issuer``.
  func checkIssuer(of claims: JSONElement) throws(TokenFault) {
    // RFC 8725 §3.8: a key counts only for tokens of the issuer that the key belongs to.
    guard claims["iss"]?.isString(settings.issuer) == true else { throw .issuer }
  }

  /// Checks the claims of a token whose signature is right.
  ///
  /// - Parameters:
  ///   - claims: the token's payload.
  ///   - now: seconds since 1970.
  /// - Returns: the identity.
  /// - Throws: ``TokenFault``.
  func identity(of claims: JSONElement, at now: Int) throws(TokenFault) -> Identity {
    try checkIssuer(of: claims)
    try checkAudience(of: claims)
    let times = try times(of: claims, at: Double(now))
    // RFC 7519 §4.1.2.
    guard let subject = claims["sub"]?.string, (1...Self.subjectLimit).contains(subject.utf8.count) else {
      throw .subject
    }
    let (roles, kept) = (try roles(of: claims), kept(of: claims))
    let object = JSONValue.object(kept.reduce(into: JSONObject()) { $0[$1.key] = $1.value })
    let size = object.text.utf8.count + roles.reduce(0) { $0 + $1.utf8.count }
    guard size <= Self.claimsLimit else { throw .claimsTooLarge }
    return Identity(
      subject, issuer: settings.issuer, roles: roles, claims: kept,
      issued: times.issued.map { Date(timeIntervalSince1970: $0) },
      expires: Date(timeIntervalSince1970: times.expires))
  }

  /// RFC 7519 §4.1.3: one string, or an array of them.
  private func checkAudience(of claims: JSONElement) throws(TokenFault) {
    guard let audience = claims["aud"] else { throw .audience }
    if audience.isString(settings.audience) { return }
    guard audience.strings != nil, audience.elements.contains(where: { $0.isString(settings.audience) }) else {
      throw .audience
    }
  }

  private func times(
    of claims: JSONElement, at now: Double
  ) throws(TokenFault) -> (issued: Double?, expires: Double) {
    let leeway = Double(settings.leewaySeconds)
    // RFC 7519 §4.1.4 makes `exp` optional; a token without it would be valid for ever.
    guard let expires = try time("exp", of: claims) else { throw .expiryMissing }
    if expires + leeway <= now { throw .expired }
    // RFC 7519 §4.1.5.
    if let start = try time("nbf", of: claims), start > now + leeway { throw .notYetValid }
    let issued = try time("iat", of: claims)
    if let issued, issued > now + leeway { throw .issuedInTheFuture }
    // A token without `iat` counts as issued each time that it is shown.
    let end = min(expires, (issued ?? now) + Double(settings.maxLifetimeSeconds))
    if end + leeway <= now { throw .expired }
    return (issued, end)
  }

  /// RFC 7519 §2: a number of seconds, maybe with a fraction.
  private func time(_ name: String, of claims: JSONElement) throws(TokenFault) -> Double? {
    guard let element = claims[name] else { return nil }
    guard let seconds = element.double else { throw .badTime }
    return max(-Self.lastSecond, min(seconds, Self.lastSecond))
  }

  private func roles(of claims: JSONElement) throws(TokenFault) -> Set<String> {  // safe text: Stream-Safe
    guard let element = claims.claim(settings.rolesClaim), !element.isNull else { return [] }
    if let roles = element.strings { return Set(roles) }
    // Separated by spaces, as `scope` is (RFC 6749 §3.3).
    guard let text = element.string else { throw .roles }
    return Set(text.split(separator: " ").map(String.init))
  }

  private func kept(of claims: JSONElement) -> [String: JSONValue] {  // safe text: own
    var kept: [String: JSONValue] = [:]  // safe text: own
    for name in settings.claims {
      if let element = claims.claim(name) { kept[name] = JSONValue(element) }
    }
    return kept
  }
}
