import Crypto
import Foundation
import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The key pair of the issuer for development: ES256, that is P-256 with SHA-256 (RFC 7518 §3.4).
package struct IssuerKey: Sendable {
  /// The name of the file that has the private key.
  static let fileName = "issuer-key.pem"

  private let key: P256.Signing.PrivateKey

  /// A new pair.
  package init() { key = P256.Signing.PrivateKey() }

  /// The pair of a directory; both are made if they are missing.
  ///
  /// - Parameter directory: the directory.
  /// - Throws: ``UnusableKey`` if the file cannot be read or written, or has no key of this kind.
  package init(directory: String) throws(UnusableKey) {
    let path = "\(directory)/\(Self.fileName)"
    if access(path, F_OK) != 0 { try Self.make(in: directory, path) }
    do {
      key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: path, encoding: .utf8))
    } catch {
      throw UnusableKey(
        path: path, reason: "it has no private key for P-256 that can be read; without it, a new one is made")
    }
  }

  /// Writes a new pair.
  ///
  /// The file is written under another name and then linked: it is never there without all of the key, and of two processes one makes it.
  private static func make(in directory: String, _ path: String) throws(UnusableKey) {
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw UnusableKey(path: directory, error: errno) }
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw UnusableKey(path: draft, error: errno) }
    defer { unlink(draft) }
    let text = Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
    let count = write(descriptor, text, text.count)
    guard close(descriptor) == 0, count == text.count else { throw UnusableKey(path: draft, error: errno) }
    guard link(draft, path) == 0 || errno == EEXIST else { throw UnusableKey(path: path, error: errno) }
  }

  /// The key's `kid`: the first 8 bytes of the public key's SHA-256, in hexadecimal digits.
  var name: String {
    SHA256.hash(data: publicKey).prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }

  /// The coordinates of the public key in base64url, as a JSON Web Key has them (RFC 7518 §6.2.1).
  var coordinates: (x: String, y: String) {
    (Self.base64URL(publicKey.prefix(32)), Self.base64URL(publicKey.suffix(32)))
  }

  /// Both coordinates, 32 bytes each.
  private var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// The signature of a text, in base64url.
  ///
  /// - Parameter text: what is signed.
  /// - Returns: 86 characters.
  /// - Throws: what swift-crypto throws.
  func signature(of text: String) throws -> String {
    Self.base64URL(Array(try key.signature(for: Array(text.utf8)).rawRepresentation))
  }

  /// Base 64 with the alphabet for URLs, without padding (RFC 7515 §2).
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    let standard = Base64.encode(Array(bytes).span)
    return String(
      standard.compactMap { character -> Character? in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}

/// There is no key to sign with.
package struct UnusableKey: Error, Equatable, CustomStringConvertible {
  package let path: String
  package let reason: String
  package var description: String { "\(path): \(reason)." }

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  init(path: String, error: Int32) { self.init(path: path, reason: String(cString: strerror(error))) }
}
