import Wire

/// A token that is well-formed, and whose signature is not verified: nothing in it can be trusted yet.
struct UnverifiedToken: Sendable {
  /// The header's `alg`: one of the algorithms that the settings accept.
  let algorithm: JWTSettings.Algorithm
  /// The header's `kid`; nil if it has none.
  let keyName: String?
  /// The bytes that are signed: header and payload as they were sent, with the dot (RFC 7515 §5.1).
  let signedBytes: ArraySlice<UInt8>
  /// The signature.
  let signature: [UInt8]
  /// The claims: a JSON object.
  let payload: JSONElement
}
