/// A request to the store, and the session or the closure that is told what became of it.
///
/// `@unchecked Sendable`: what changes, `result`, is set by the writer's thread before it hands the job back to the loop.
final class StoreJob: @unchecked Sendable {
  /// What is told of the result, on the loop.
  private enum Asker {
    /// A session, of its commit.
    case session(Session)
    case closure((Result<StoreResult, StoreError>) -> Void)
  }

  let request: StoreRequest
  let loop: EventLoop
  private let asker: Asker
  /// What became of it; nil as long as the store has not answered.
  var result: Result<StoreResult, StoreError>?

  /// A session's commit.
  ///
  /// - Parameters:
  ///   - request: what is to be written.
  ///   - session: whose.
  init(_ request: StoreRequest, committing session: Session) {
    self.request = request
    loop = session.loop
    asker = .session(session)
  }

  /// Something else.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - loop: where the answer is wanted.
  ///   - completion: called there.
  init(
    _ request: StoreRequest, on loop: EventLoop,
    _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void = { _ in }
  ) {
    self.request = request
    self.loop = loop
    asker = .closure(completion)
  }

  /// Hands the result to the session or the closure; to be called on the loop.
  func complete() {
    let result = result ?? .failure(StoreError("The store has not answered."))
    switch asker {
    case .session(let session): session.core.didCommit(result)
    case .closure(let completion): completion(result)
    }
  }
}
