/// What a channel keeps of a session that has left memory.
final class Sleeper: Sendable {
  let sessionID: String
  /// Which of the session's clients the channel is, by its id.
  let client: Int
  /// The `try` with which it became that: a later one has taken its place.
  let attempt: Int
  /// The life of the tree that the client's view is of.
  let epoch: String
  /// The view's revision that the client was told of.
  let revision: Int
  /// The last to write the session.
  let lease: SessionLease

  /// A client whose session rests.
  ///
  /// - Parameters:
  ///   - sessionID: the session.
  ///   - client: its id.
  ///   - attempt: the client's last.
  ///   - epoch: of its view.
  ///   - revision: of its view.
  ///   - lease: as it was when the session left.
  init(sessionID: String, client: Int, attempt: Int, epoch: String, revision: Int, lease: SessionLease) {
    self.sessionID = sessionID
    self.client = client
    self.attempt = attempt
    self.epoch = epoch
    self.revision = revision
    self.lease = lease
  }
}
