import Foundation
import Wire

/// Signs JSON Web Tokens, and describes the public key to servers that check them.
struct TokenSigner: Sendable {
  /// The audience unless another one is named.
  static let defaultAudience = "ribd"

  /// The key that tokens are signed with.
  let key: IssuerKey
  /// The issuer's URL: `iss`.
  let issuer: String
  /// The audience: `aud`.
  var audience = Self.defaultAudience

  /// A token in its compact form (RFC 7515 §7.1).
  ///
  /// - Parameters:
  ///   - request: what the token contains; one without a ``TokenRequest/fault``.
  ///   - date: when it is issued.
  /// - Returns: the token.
  /// - Throws: what swift-crypto throws.
  func token(for request: TokenRequest, at date: Date) throws -> String {
    // With milliseconds (RFC 7519 §2 allows them): a person who was signed out everywhere, and signs in again within the same second, gets a
    // token that was issued after the sign-out.
    let issued = (date.timeIntervalSince1970 * 1000).rounded(.down) / 1000
    let header = JSONValue.object(["alg": .string("ES256"), "kid": .string(key.name), "typ": .string("JWT")])
    let claims = JSONValue.object([
      "iss": .string(issuer), "aud": .string(audience), "sub": .string(request.subject), "iat": .number(issued),
      "exp": .number(issued + Double(request.seconds)), "roles": .array(request.roles.map { .string($0) }),
    ])
    let signed = [header, claims].map { IssuerKey.base64URL($0.text.utf8) }.joined(separator: ".")
    return "\(signed).\(try key.signature(of: signed))"
  }

  /// The public key as a JSON Web Key Set (RFC 7517 §5).
  var keySet: JSONValue {
    let (x, y) = key.coordinates
    return .object([
      "keys": .array([
        .object([
          "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"), "use": .string("sig"),
          "kid": .string(key.name), "x": .string(x), "y": .string(y),
        ])
      ])
    ])
  }

  /// The configuration document (OpenID Connect Discovery 1.0 §3): the issuer and the URL of the key set, and nothing else.
  var configuration: JSONValue { .object(["issuer": .string(issuer), "jwks_uri": .string("\(issuer)/keys.json")]) }
}
