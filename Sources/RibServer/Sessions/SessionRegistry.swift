import Synchronization

/// The sessions of a server, by their ids: a client that comes back may have been handed to any loop.
final class SessionRegistry: Sendable {
  private let sessions = Mutex<[String: Session]>([:])

  /// The number of sessions that a client could go on with.
  var count: Int { sessions.withLock { $0.count } }

  /// The session with this id; nil if there is none, or none any more.
  subscript(id: String) -> Session? { sessions.withLock { $0[id] } }

  func add(_ session: Session) { sessions.withLock { $0[session.id] = session } }
  func remove(_ session: Session) { sessions.withLock { $0[session.id] = nil } }
}
