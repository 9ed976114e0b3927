/// A key of a key set that is not used.
struct SkippedKey: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why a key is not used.
  enum Reason: String, Sendable {
    case notAnObject = "it is no object"
    case repeatedMember = "it has a member twice"
    case notForSignatures = "it is for something else than signatures"
    case keyType = "its kty or crv is none that signs tokens here"
    case algorithm = "its alg is none that is accepted here"
    case noAlgorithm = "no algorithm that is accepted here fits it"
    case tooShort = "it is an RSA key of less than 2048 bits"
    case malformed = "it is no key"
    case nameless = "it has no kid, and is not the only key"
    case longName = "its kid is too long"
    case repeatedName = "another key has its kid"
  }

  /// The key's `kid`; nil if it has none.
  let name: String?
  /// Why it is not used.
  let reason: Reason

  /// For the log.
  var description: String { "\(name ?? "-"): \(reason.rawValue)" }
}
