extension JWTSettings {
  /// How a token is signed (RFC 7518 §3.1, RFC 8037 §3.1).
  public enum Algorithm: String, Sendable, CaseIterable {
    /// RSA with SHA-256.
    case rs256 = "RS256"
    /// RSA with SHA-384.
    case rs384 = "RS384"
    /// RSA with SHA-512.
    case rs512 = "RS512"
    /// RSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// RSA-PSS with SHA-384.
    case ps384 = "PS384"
    /// RSA-PSS with SHA-512.
    case ps512 = "PS512"
    /// The curve P-256 with SHA-256.
    case es256 = "ES256"
    /// The curve P-384 with SHA-384.
    case es384 = "ES384"
    /// The curve P-521 with SHA-512.
    case es512 = "ES512"
    /// The curve Ed25519.
    case edDSA = "EdDSA"
    /// A secret that the issuer and the server share, with SHA-256.
    case hs256 = "HS256"

    /// The algorithm that the `alg` of a header or a key names.
    ///
    /// - Parameter name: compared with regard to case; `Ed25519` is another name of `EdDSA` (RFC 9864 §2.2). An unknown name gives nil.
    init?(name: String) {
      guard let algorithm = Self(rawValue: name == "Ed25519" ? "EdDSA" : name) else { return nil }
      self = algorithm
    }
  }
}
