import Wire

/// Why keys cannot be loaded.
enum KeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A file does not exist, or cannot be read.
  case unreadable
  /// libcurl's sentence.
  case transport(String)
  /// Another status than 200.
  case status(Int)
  /// More bytes than a key set may have.
  case tooLong
  /// No JSON.
  case notJSON(JSONError)
  /// JSON that is no key set.
  case notAKeySet
  /// More keys than a key set may have.
  case tooManyKeys(Int)
  /// A key set without a key that tokens can be checked with.
  case noUsableKey([SkippedKey])
  /// The issuer's configuration document names another issuer, or no `jwks_uri` that may be used.
  case discovery

  /// One sentence for the log.
  var description: String {
    switch self {
    case .unreadable: "it cannot be read."
    case .transport(let reason): "\(reason)."
    case .status(let code) where (300..<400).contains(code):
      "the status is \(code), and a redirect is not followed: set the URL that it leads to."
    case .status(let code): "the status is \(code), and not 200."
    case .tooLong: "it has more than \(KeySet.byteLimit) bytes."
    case .notJSON(let error): "it is no JSON: \(error)."
    case .notAKeySet: "it is no JSON Web Key Set: that has an array \"keys\"."
    case .tooManyKeys(let count): "it has \(count) keys, more than \(KeySet.keyLimit)."
    case .noUsableKey(let skipped): "it has no key that tokens can be checked with\(Self.list(skipped))."
    case .discovery: "it names another issuer, or no jwks_uri with https."
    }
  }

  /// The first ten skipped keys, for the log.
  static func list(_ skipped: [SkippedKey]) -> String {
    skipped.isEmpty ? "" : " (" + skipped.prefix(10).map(\.description).joined(separator: "; ") + ")"
  }
}
