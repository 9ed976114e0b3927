import Crypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The secret that the issuer and the server share (RFC 7518 §3.2), and for a time the previous secret.
struct SharedSecret: Sendable {
  /// The least bytes of a secret (RFC 7518 §3.2).
  static let leastBytes = 32

  private let current: SymmetricKey
  private let previous: SymmetricKey?
  /// Until when the previous secret is accepted, in seconds since 1970.
  private let previousEnd: Double

  /// Reads the secrets' files.
  ///
  /// - Parameter settings: the paths of the files.
  /// - Throws: ``JWTSettingsError/unusableFile(_:_:)``.
  init(_ settings: JWTSettings) throws(JWTSettingsError) {
    current = try Self.read(settings.secretFile)
    previous = settings.previousSecretFile.isEmpty ? nil : try Self.read(settings.previousSecretFile)
    previousEnd = settings.previousSecretUntil?.timeIntervalSince1970 ?? 0
  }

  private static func read(_ path: String) throws(JWTSettingsError) -> SymmetricKey {
    guard var bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) else {
      throw .unusableFile(path, KeyError.unreadable.description)
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard bytes.count >= leastBytes else {
      throw .unusableFile(path, "a secret has at least \(leastBytes) bytes, and this one has \(bytes.count).")
    }
    return SymmetricKey(data: bytes)
  }

  /// Whether a signature was made with the secret, or with the previous secret while that is accepted.
  ///
  /// Both are tried: the token's `kid` is ignored.
  ///
  /// - Parameters:
  ///   - signature: the token's signature.
  ///   - bytes: what was signed.
  ///   - now: seconds since 1970.
  /// - Returns: whether it is right; compared in constant time.
  func verifies(_ signature: [UInt8], of bytes: ArraySlice<UInt8>, at now: Int) -> Bool {
    if HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: current) { return true }
    guard let previous, Double(now) < previousEnd else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: previous)
  }
}
