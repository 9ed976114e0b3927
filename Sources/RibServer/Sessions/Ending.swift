import Wire

/// Why a client cannot have what it asked for.
struct Ending: Error {
  let bye: Bye
  /// The same in a sentence.
  let message: String
  /// Seconds after which the client should come back, if that is known.
  let retryAfter: Int?

  /// A reason.
  ///
  /// - Parameters:
  ///   - bye: as clients know it.
  ///   - message: the same in a sentence.
  ///   - retryAfter: seconds after which the client should come back, if that is known.
  init(_ bye: Bye, _ message: String, retryAfter: Int? = nil) {
    self.bye = bye
    self.message = message
    self.retryAfter = retryAfter
  }
}
