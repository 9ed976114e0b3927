import RibServer
import Wire

/// Why a token is not accepted.
///
/// The text that the client gets repeats nothing of the token.
enum TokenFault: Error, Equatable {
  /// A part of a token.
  enum Part: String {
    case header
    case payload
    case signature
  }

  case tooLong
  case notThreeParts
  case notBase64URL(Part)
  case notJSON(Part, JSONError.Reason)
  case notAnObject(Part)
  case repeatedMember(Part)
  case unsafeText(Part)
  case algorithm
  case critical
  case type
  case nested
  case keyName
  case issuer
  case unknownKey
  case keyNotNamed
  case otherAlgorithmThanKey
  case badSignature
  case audience
  case expiryMissing
  case expired
  case notYetValid
  case issuedInTheFuture
  case badTime
  case subject
  case roles
  case claimsTooLarge

  /// The error that the client is told.
  var error: AuthenticationError { self == .expired ? .expired : .invalid(sentence) }

  private var sentence: String {
    switch self {
    case .tooLong: "The token is longer than \(TokenGate.byteLimit) bytes."
    case .notThreeParts: "The token is no signed JSON Web Token: that has three parts with dots between them."
    case .notBase64URL(let part): "The token's \(part.rawValue) is not in base64url without padding."
    case .notJSON(let part, let reason): "The token's \(part.rawValue) is no JSON: \(reason.rawValue)."
    case .notAnObject(let part): "The token's \(part.rawValue) is no JSON object."
    case .repeatedMember(let part): "The token's \(part.rawValue) has a member twice."
    case .unsafeText(let part): "The token's \(part.rawValue) has \(String.unsafeRun)."
    default: ruleSentence
    }
  }

  private var ruleSentence: String {
    switch self {
    case .algorithm: "The token's alg is none of those that this server accepts."
    case .critical: "The token's header has crit, and this server knows no extension that it could name."
    case .type: "The token's typ is none of those that this server accepts: an ID token in place of an access token?"
    case .nested: "The token holds another token."
    case .keyName: "The token's kid is no string of up to \(TokenGate.keyNameLimit) bytes."
    case .issuer: "The token's iss is not the issuer that this server trusts."
    case .unknownKey: "The token's kid is none of the issuer's keys."
    case .keyNotNamed: "The token has no kid, and the issuer has several keys."
    case .otherAlgorithmThanKey: "The token's alg is not that of its key."
    case .badSignature: "The token's signature does not verify with the issuer's key."
    default: claimSentence
    }
  }

  private var claimSentence: String {
    switch self {
    case .audience: "The token's aud does not name this server."
    case .expiryMissing: "The token has no exp."
    case .notYetValid: "The token is not valid yet: its nbf is in the future."
    case .issuedInTheFuture: "The token's iat is in the future: is a clock wrong?"
    case .badTime: "The token's exp, nbf or iat is no number."
    case .subject: "The token's sub is no string of 1 to 255 bytes."
    case .roles: "The token's claim with the roles is neither an array of strings nor a string."
    case .claimsTooLarge: "The token's roles and claims have more than \(ClaimCheck.claimsLimit) bytes."
    default: "The token is over."
    }
  }
}
