import Synchronization

/// Says of sessions that this node holds whether it needs them, and lets go of them if it does not.
///
/// | a session that a client wants elsewhere                  | is      | because                                                    |
/// |----------------------------------------------------------|---------|------------------------------------------------------------|
/// | is not here, and nobody sleeps for it                    | `free`  |                                                            |
/// | rests, and only that client sleeps here                  | `free`  | it is told to connect again                                |
/// | has no client here, or only that one's former connection | `free`  | it has left memory, and the store has all of it            |
/// | has other clients here, or effects that would be cut off | `relay` |                                                            |
/// | is on its way into memory                                | `relay` | somebody here waits for it                                 |
/// | has come only now, from elsewhere                        | `relay` | clients that come by several nodes would have it move with each word |
/// | is here, and wanted by a node of an earlier program      | `relay` | that one may not be able to read it, and would pass the client on |
///
/// A node that drains lets go of all of them that are not on their way: their clients are told to connect again, which they are about to do anyway.
struct SessionHolder: Sendable {
  let context: ServerContext

  /// Answers another node.
  ///
  /// - Parameters:
  ///   - want: the session, and the client that is there.
  ///   - node: the node where it is.
  ///   - done: called on any thread; not before the store has all of a session that is free.
  func answer(_ want: LinkMessage.Want, of node: Int, _ done: @escaping @Sendable (LinkMessage.Holding) -> Void) {
    let (id, claim, isDraining) = (want.sessionID, want.claim, context.isDraining.load(ordering: .relaxed))
    let mustStay =
      !isDraining && context.cluster.map { $0.hasJustCome(id) || $0.isOfEarlierProgram(node) } == true
    switch context.sessions.whereabouts(of: id) {
    case .awaited: done(.relay)
    case .elsewhere:
      if isDraining {
        context.sessions.letGo(of: id)
        done(.free)
      } else {
        done(context.sessions.letGo(of: id, to: claim, mayMove: !mustStay) ? .free : .relay)
      }
    case .awake(let session):
      session.loop.execute {
        let core = session.core
        let tell: @Sendable () -> Void = { done(session.core.life.isInMemory ? .relay : .free) }
        if isDraining, core.handOver() {
          return core.whenCommitted { _ in session.loop.execute(tell) }
        }
        guard !mustStay, core.makeWay(for: claim) else { return tell() }
        // Once it is known that the client has left, it may rest; each in a job of its own, as a session that is told of its commit is at work.
        core.whenCommitted { _ in
          session.loop.execute {
            // A session that was given up meanwhile, as the store failed, has no commit to come.
            guard session.core.life.isInMemory else { return tell() }
            session.core.rest(isAwaited: true)
            session.core.whenCommitted { _ in session.loop.execute(tell) }
          }
        }
      }
    }
  }
}
