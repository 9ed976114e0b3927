#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The tokens that a ``JWTAuthenticator`` accepts, and where the issuer's keys come from.
///
/// ``issuer``, ``audience`` and exactly one of ``keysURL``, ``keysFile`` and ``secretFile`` have to be set: no default would be
/// safe.
public struct JWTSettings: Sendable, Equatable {
  /// The issuer of the tokens: each token's `iss` has to be exactly this text.
  public var issuer: String
  /// The audience of the tokens: the issuer's name for this server, which each token's `aud` has to be or to contain.
  public var audience: String
  /// How tokens may be signed; ``Algorithm/hs256`` only with a ``secretFile``, and then alone.
  ///
  /// A published key without `alg` is used with the first of these that fits the key.
  public var algorithms: [Algorithm] = [.rs256, .es256, .edDSA]

  /// Where the issuer publishes its keys: a URL with `https`, or with `http` on this machine.
  ///
  /// `discover` stands for the URL that the issuer's `/.well-known/openid-configuration` names as `jwks_uri`.
  public var keysURL = ""
  /// A file with the issuer's public keys, as a JSON Web Key Set.
  ///
  /// The file is read again when a token comes, every ten seconds at most.
  public var keysFile = ""
  /// A file with the secret that the tokens are signed with: 32 bytes at least.
  ///
  /// A line break at the end of the file is not part of the secret.
  public var secretFile = ""
  /// A file with the secret that was in use before; empty for none.
  public var previousSecretFile = ""
  /// Until when tokens signed with the previous secret are accepted; required with ``previousSecretFile``.
  public var previousSecretUntil: Date?
  /// A file with the CA certificates, in PEM, for the servers that keys are fetched from; empty for the system's.
  public var caFile = ""

  /// The values that a token's `typ` may have, without regard to case.
  ///
  /// A token without `typ` counts as `JWT`. If the issuer's access tokens have `at+jwt` (RFC 9068 §2.1), that value alone keeps ID tokens
  /// out.
  public var types = ["JWT", "at+jwt"]
  /// The claims that become part of the identity: names, or paths with dots such as `address.country`.
  ///
  /// Together at most 4 KiB of JSON.
  public var claims: [String] = []
  /// The claim with the roles: an array of strings, or one string with spaces between the roles.
  ///
  /// A name, or a path with dots such as Keycloak's `realm_access.roles`.
  public var rolesClaim = "roles"
  /// Whether a credential has to be shown.
  ///
  /// If not, a client without a credential is anonymous. A client with an invalid token is refused in either case.
  public var required = true

  /// Seconds that the issuer's clock and this one may be apart.
  public var leewaySeconds = 30
  /// Seconds after its `iat` for which a token is accepted at most, even if its `exp` is later.
  ///
  /// A token without `iat` counts as issued each time that it is shown.
  public var maxLifetimeSeconds = 86_400

  /// Seconds after which the keys of a URL are fetched again.
  ///
  /// The response's `Cache-Control` or `Expires` can shorten this, to no less than a minute.
  public var keysRefreshSeconds = 3600
  /// The least number of seconds between two fetches that unknown keys cause, and the greatest between two attempts while the
  /// issuer cannot be reached.
  public var keysCooldownSeconds = 30
  /// Seconds after the last successful fetch for which its keys are used if later fetches fail.
  public var keysMaxStaleSeconds = 86_400
  /// Seconds that a fetch may take.
  public var keysTimeoutSeconds = 5

  /// Settings with the defaults; where the keys come from is still to be set.
  ///
  /// - Parameters:
  ///   - issuer: the `iss` of the tokens.
  ///   - audience: the issuer's name for this server.
  public init(issuer: String, audience: String) {
    self.issuer = issuer
    self.audience = audience
  }
}
