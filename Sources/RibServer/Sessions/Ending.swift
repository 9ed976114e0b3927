import Wire

/// Why a client cannot have what it asked for.
struct Ending: Error {
  let bye: Bye
  /// The same in a sentence.
  let message: String
  /// Seconds after which the client should come back, if that is known.
  let retryAfter: Int?
  /// Whether a credential is missing, rather than wrong.
  let isWithoutCredential: Bool
  /// Whether another version of the program may well have what is wanted.
  let needsAnotherProgram: Bool

  /// A reason.
  ///
  /// - Parameters:
  ///   - bye: as clients know it.
  ///   - message: the same in a sentence.
  ///   - retryAfter: seconds after which the client should come back, if that is known.
  ///   - isWithoutCredential: whether a credential is missing, rather than wrong.
  ///   - needsAnotherProgram: whether another version of the program may well have what is wanted.
  init(
    _ bye: Bye, _ message: String, retryAfter: Int? = nil, isWithoutCredential: Bool = false,
    needsAnotherProgram: Bool = false
  ) {
    self.bye = bye
    self.message = message
    self.retryAfter = retryAfter
    self.isWithoutCredential = isWithoutCredential
    self.needsAnotherProgram = needsAnotherProgram
  }

  /// The end of a client that has to show a credential, and has shown none.
  ///
  /// - Parameter message: what the credential is needed for.
  /// - Returns: the reason `unauthenticated`.
  static func credentialMissing(_ message: String) -> Ending {
    Ending(.unauthenticated, message, isWithoutCredential: true)
  }
}
