import Wire

/// Ends a session wherever it is: in memory on any loop, at rest, or with another process, from which it is taken.
struct SessionDismissal: Sendable {
  let context: ServerContext
  /// The loop from which the session is looked for.
  let loop: EventLoop

  /// Ends a session; to be called on the loop.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - done: called on any loop: with whether the session existed, once neither a process nor the store has it; or with why it may still
  ///     exist.
  func end(_ id: String, _ done: @escaping @Sendable (Result<Bool, StoreError>) -> Void) {
    let finder = SessionFinder(registry: context.sessions, source: LoopSource(context: context, loop: loop))
    let session = finder.find(id, SessionClaim(isForced: true)) { result in
      switch result {
      case .success(.awake(let session)): end(session, id, done)
      // The search was begun by a client that comes back at the same time, and has left the session at rest, or elsewhere.
      case .success(.resting), .success(.elsewhere): loop.execute { end(id, done) }
      case .failure(let ending) where ending.bye == .gone: done(.success(false))
      case .failure(let ending): done(.failure(StoreError(ending.message)))
      }
    }
    if let session { end(session, id, done) }
  }

  private static let isLeft = StoreError(
    "The session is gone from this process, but the store could not delete it: end it again.")

  private func end(
    _ session: Session, _ id: String, _ done: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    session.loop.execute {
      // The session may have left memory on the way, or be another process's by now.
      let again: @Sendable () -> Void = { loop.execute { end(id, done) } }
      guard session.core.life.isInMemory else { return again() }
      session.core.dismissAll { isKnown in
        guard isKnown else { return again() }
        let isLeft = session.core.isLeftInStore
        // A job of its own, so that it runs after the session has left memory.
        session.loop.execute { done(isLeft ? .failure(Self.isLeft) : .success(true)) }
      }
    }
  }
}
