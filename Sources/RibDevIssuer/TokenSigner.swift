package import Foundation
import RibCore
package import RibServer
package import Wire

/// Signs JSON Web Tokens, and describes the public key to servers that check them.
package struct TokenSigner: Sendable {
  /// The audience unless another one is named.
  package static let defaultAudience = "ribd"

  /// The key that tokens are signed with.
  package let key: IssuerKey
  /// The issuer's URL: `iss`.
  package let issuer: String
  /// The audience: `aud`.
  package var audience = Self.defaultAudience

  /// A token in its compact form (RFC 7515 §7.1).
  ///
  /// - Parameters:
  ///   - request: what the token contains; one without a ``TokenRequest/fault``.
  ///   - date: when it is issued.
  /// - Returns: the token.
  /// - Throws: what swift-crypto throws.
  package func token(for request: TokenRequest, at date: Date) throws -> String {
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
  package var keySet: JSONValue {
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
  package var configuration: JSONValue {
    .object(["issuer": .string(issuer), "jwks_uri": .string("\(issuer)/keys.json")])
  }

  /// A signer.
  ///
  /// - Parameters:
  ///   - key: the key that tokens are signed with.
  ///   - issuer: the issuer's URL.
  ///   - audience: the audience.
  package init(key: IssuerKey, issuer: String, audience: String = Self.defaultAudience) {
    self.key = key
    self.issuer = issuer
    self.audience = audience
  }

  /// The app that signs a token for any client that asks.
  ///
  /// - Parameter access: who may ask.
  /// - Returns: the app, by the name `issuer`.
  package func app(for access: App.Access = .anyone) -> App {
    App("issuer", access: access) { Issuer(signer: self, dependencies: .live) }
  }

  /// The key set, and the configuration document that names its URL.
  package var files: StaticFiles {
    var files = StaticFiles()
    files.add("keys.json", Array(keySet.text.utf8))
    files.add(".well-known/openid-configuration", Array(configuration.text.utf8), type: "application/json")
    return files
  }
}
