/// What a connection keeps of a session that has left memory.
final class Sleeper: Sendable {
  let sessionID: String
  /// Which of the session's renderers the connection is, from 0.
  let renderer: Int
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
  ///   - renderer: which of its renderers, from 0.
  ///   - attempt: the client's last.
  ///   - epoch: of its view.
  ///   - revision: of its view.
  ///   - lease: as it was when the session left.
  init(sessionID: String, renderer: Int, attempt: Int, epoch: String, revision: Int, lease: SessionLease) {
    self.sessionID = sessionID
    self.renderer = renderer
    self.attempt = attempt
    self.epoch = epoch
    self.revision = revision
    self.lease = lease
  }
}
