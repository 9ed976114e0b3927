import Wire

/// Why a client cannot have what it asked for.
struct Ending: Error {
  let bye: Bye
  /// The same in a sentence.
  let message: String

  /// A reason.
  ///
  /// - Parameters:
  ///   - bye: as clients know it.
  ///   - message: the same in a sentence.
  init(_ bye: Bye, _ message: String) {
    self.bye = bye
    self.message = message
  }
}
