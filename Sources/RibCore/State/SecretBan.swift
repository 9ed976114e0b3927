import Synchronization
import Wire

/// A ``Secret`` that a test has found in what is shown or saved.
package struct SecretLeak: Equatable, Sendable {
  /// The secret's type.
  package let type: String
  /// The keys and indices that lead to it.
  package let path: [String]
}

/// Makes the encoding of a ``Secret`` fail, where a test looks for secrets in what is shown and what is saved.
final class SecretBan: Sendable {
  @TaskLocal private static var current: SecretBan?

  private let found = Mutex<String?>(nil)

  /// Runs an encoding that must not meet a secret.
  ///
  /// - Parameter body: the encoding.
  /// - Returns: the secret that was met; nil if there is none, or the encoding fails for another reason.
  static func leak(_ body: () throws(CaptureError) -> Void) -> SecretLeak? {
    let ban = SecretBan()
    let result = $current.withValue(ban) { () -> Result<Void, CaptureError> in Result(catching: body) }
    guard case .failure(let error) = result, let type = ban.found.withLock({ $0 }) else { return nil }
    return SecretLeak(type: type, path: error.path)
  }

  /// Called by a secret that is about to be encoded.
  ///
  /// - Throws: ``CaptureError`` where secrets are banned; the encoder adds the path to it.
  static func check<Value>(_ type: Secret<Value>.Type) throws(CaptureError) {
    guard let current else { return }
    current.found.withLock { $0 = "\(type)" }
    throw CaptureError("A \(type) is encoded here.")
  }
}
