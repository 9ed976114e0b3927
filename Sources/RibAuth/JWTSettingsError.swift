import RibServer

/// Why ``JWTSettings`` cannot be used.
public enum JWTSettingsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A setting is empty that has no safe default.
  case missing(String)
  /// Not exactly one of `keysURL`, `keysFile` and `secretFile` is set; the number of those that are.
  case keySources(Int)
  /// A text is no URL, or a URL whose response could be read and changed on its way.
  case insecureURL(String)
  /// The algorithms do not fit the source of the keys.
  case algorithms
  /// A number is outside of its range.
  case outOfRange(String, ClosedRange<Int>)
  /// There is a previous secret, and no date until which it is accepted.
  case previousSecretWithoutEnd
  /// A file cannot be used: its path, and why.
  case unusableFile(String, String)

  /// A sentence about the wrong setting, and how to mend it.
  public var description: String {
    switch self {
    case .missing(let name):
      "\(name) is empty: tokens are checked against it, and there is no default that is safe."
    case .keySources(0):
      "There is nothing to check tokens with: set keysURL (or \"discover\"), keysFile or secretFile."
    case .keySources:
      "Set only one of keysURL, keysFile and secretFile."
    case .insecureURL(let url):
      "\"\(url.withoutUser)\" is no URL to fetch keys from: use https, or http on this machine, without a user or a fragment."
    case .algorithms:
      "HS256 is for a secretFile, which goes with no other algorithm; keysURL and keysFile want one of the others."
    case .outOfRange(let name, let range):
      "\(name) has to be between \(range.lowerBound) and \(range.upperBound)."
    case .previousSecretWithoutEnd:
      "previousSecretFile is without previousSecretUntil: an old secret has to end some time."
    case .unusableFile(let path, let reason):
      "The file \(path) cannot be used: \(reason)"
    }
  }
}
