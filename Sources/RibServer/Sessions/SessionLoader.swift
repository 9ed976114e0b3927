import Logging
import Wire

/// Brings sessions back into memory from the store.
struct SessionLoader {
  let context: ServerContext
  /// Where the session will live.
  let loop: EventLoop

  /// Asks the store for a session.
  ///
  /// To be called on the loop, after ``SessionRegistry/find(_:_:_:)`` said so; whoever waits there is told.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - tokenHash: of the token that is to open it; nil for who was let in before.
  func load(_ id: String, _ tokenHash: String?) {
    guard let store = loop.store else { return none(id) }
    let request = StoreRequest.load(sessionID: id, tokenHash: tokenHash)
    store.submit([StoreJob(request, on: loop) { [self] result in didLoad(id, result) }])
  }

  private func none(_ id: String) {
    context.sessions.finish(
      id, nil, .gone, "There is no such session, or none any more. Say hello without resume.")
  }

  private func didLoad(_ id: String, _ result: Result<StoreResult, StoreError>) {
    // Nobody would have it leave memory again.
    guard !loop.isStopping else { return context.sessions.finish(id, nil, .shutdown, "The server is going down.") }
    switch result {
    case .success(.loaded(let stored)): restore(stored)
    case .success(.denied(let state)):
      // Those who are left were judged.
      if context.sessions.deny(id, by: state, "The token opens nothing in this session.") { load(id, nil) }
    case .success(.refused(let error)):
      context.logger.critical("A session cannot be read.", metadata: ["session": "\(id)", "reason": "\(error)"])
      context.sessions.finish(id, nil, .failed, "What is kept of the session is damaged.")
    case .failure:
      context.sessions.finish(id, nil, .unavailable, "The session store cannot be read. Come back later.")
    case .success: none(id)
    }
  }

  private func restore(_ stored: StoredSession) {
    let id = stored.identity.id
    guard let app = context.apps[stored.identity.app] else {
      return fail(stored, .unknownApp, "There is no app \"\(stored.identity.app)\" here any more.")
    }
    if let crash = stored.crashes.first(where: { $0.client == 0 && $0.count >= StoredSession.Crash.limit }) {
      context.logger.critical(
        "A session is set aside: the server dies of it.", metadata: ["session": "\(id)", "times": "\(crash.count)"])
      return fail(
        stored, .poisoned, "The server's process has died \(crash.count) times while it ran this session.")
    }
    // What builds the root is as much the app's code as what restores its state.
    loop.flight?.begin(id, client: 0, number: 0)
    defer { loop.flight?.end() }
    let session: Session
    do {
      session = try Session(of: app, stored, on: loop, context)
    } catch {
      context.logger.error(
        "A session could not be built.", metadata: ["session": "\(id)", "app": "\(app.name)", "error": "\(error)"])
      return fail(stored, .failed, "The app \"\(app.name)\" could not be started.")
    }
    if let (bye, reason) = session.assumeIsolated({ $0.restore(stored) }) {
      return fail(stored, bye, reason)
    }
    context.sessions.finish(id, session)
  }
  /// Tells who waits that the session cannot go on, and the store that nobody has it.
  private func fail(_ stored: StoredSession, _ bye: Bye, _ reason: String) {
    let id = stored.identity.id
    loop.noteAbsence(ofSession: id, stored.lease)
    context.sessions.finish(id, nil, bye, reason)
  }
}
