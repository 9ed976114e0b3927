import Synchronization

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
  private let row: Int64
  private let leaseNumber: Atomic<Int64>

  /// A client whose session rests.
  ///
  /// - Parameters:
  ///   - sessionID: the session.
  ///   - client: its id.
  ///   - attempt: the client's last.
  ///   - epoch: of its view.
  ///   - revision: of its view.
  ///   - lease: as it was when the session left, or the client came.
  init(sessionID: String, client: Int, attempt: Int, epoch: String, revision: Int, lease: SessionLease) {
    self.sessionID = sessionID
    self.client = client
    self.attempt = attempt
    self.epoch = epoch
    self.revision = revision
    row = lease.row
    leaseNumber = Atomic(lease.number)
  }

  /// The newest that this process has of the session, as far as it was seen.
  var lease: SessionLease { SessionLease(row: row, number: leaseNumber.load(ordering: .relaxed)) }

  /// Takes note that another client has come back to the session, which goes on resting.
  ///
  /// - Parameter lease: the newer one.
  func renew(_ lease: SessionLease) { leaseNumber.max(lease.number, ordering: .relaxed) }
}

/// What a client is told whose session is not in memory.
enum SleeperCall {
  /// The session is there, or a bell has rung and the client is to bring it there.
  case wake
  /// The client has come back on another connection, and the session rests on.
  case overtaken
  /// The session has gone on in another process.
  case moved
}
