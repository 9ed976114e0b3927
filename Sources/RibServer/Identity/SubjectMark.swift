import Crypto

/// Writes persons into a log in such a way that lines about one person are seen to belong together, and nobody can tell who the person is.
///
/// The key is the process's own: after a restart a person has another mark.
package struct SubjectMark: Sendable {
  private let key: SymmetricKey

  /// Marks with a key that nobody knows.
  ///
  /// - Parameter environment: what the key is drawn from.
  package init(_ environment: Environment = .system) {
    key = SymmetricKey(data: Array(environment.makeToken().utf8))
  }

  /// The mark of a person.
  ///
  /// - Parameter subject: the person's ``/RibCore/Identity/subject``.
  /// - Returns: `~` and 16 hexadecimal digits: the beginning of an HMAC (RFC 2104) with SHA-256.
  package func callAsFunction(_ subject: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(subject.utf8), using: key)
    return "~" + hexadecimal(Array(code).prefix(8))
  }
}
