/// What a client shows for a session that it looks for.
struct SessionClaim: Equatable, Sendable {
  /// Of the token that is to open it; nil for a client that was let in before, and for the server itself.
  var tokenHash: String?
  /// The client's id; nil if the token alone says which it is.
  var client: Int?
  /// The client's `try`, which is above its last one if it is the client's newest connection; nil if it counts none.
  var attempt: Int?
  /// Whether it is taken from whoever has it: the server itself ends it.
  var isForced = false

  /// Whether it is the same client's, and of a newer connection.
  ///
  /// - Parameter record: what is known of the client here.
  /// - Returns: false as well if it does not say which of its connections it is.
  func isNewer(than record: ClientRecord) -> Bool {
    guard let tokenHash, let attempt else { return false }
    return record.isOpened(byTokenWith: tokenHash) && attempt > record.attempt
  }
}
