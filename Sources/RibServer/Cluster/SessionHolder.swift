/// Says of sessions that this node holds whether it needs them, and lets go of them if it does not.
///
/// | a session that a client wants elsewhere                        | is      | because                                      |
/// |-----------------------------------------------------------------|---------|----------------------------------------------|
/// | is not here                                                     | `free`  |                                              |
/// | rests, with clients that sleep                                  | `free`  | they are told to connect again               |
/// | has no client here, or only that one's former connection        | `free`  | it has left memory, and the store has all of it |
/// | has other clients here, or effects that would be cut off        | `busy`  |                                              |
/// | is on its way into memory                                       | `busy`  | somebody here waits for it                   |
struct SessionHolder: Sendable {
  let context: ServerContext

  /// Answers another node.
  ///
  /// - Parameters:
  ///   - want: the session, and the client that is there.
  ///   - done: called on any thread; not before the store has all of a session that is free.
  func answer(_ want: LinkMessage.Want, _ done: @escaping @Sendable (LinkMessage.Holding) -> Void) {
    switch context.sessions.whereabouts(of: want.sessionID) {
    case .awaited: done(.busy)
    case .elsewhere:
      context.sessions.letGo(of: want.sessionID)
      done(.free)
    case .awake(let session):
      session.loop.execute {
        guard session.core.makeWay(for: want.claim) else {
          return done(session.core.life.isInMemory ? .busy : .free)
        }
        // Once it is known that the client has left, it may rest; each in a job of its own, as a session that is told of its commit is at work.
        session.core.whenCommitted { _ in
          session.loop.execute {
            session.core.rest(isAwaited: true)
            session.core.whenCommitted { _ in
              session.loop.execute { done(session.core.life.isInMemory ? .busy : .free) }
            }
          }
        }
      }
    }
  }
}
