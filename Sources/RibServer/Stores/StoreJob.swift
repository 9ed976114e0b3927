/// A request to the store, and the session or the closure that is told what became of it.
///
/// `@unchecked Sendable`: the loop sets what is asked before it hands the job to the writer's thread, and that sets what became of
/// it before it hands the job back.
final class StoreJob: @unchecked Sendable {
  /// What is told of the result, on the loop.
  private enum Asker {
    /// The commit is done, and the job may be used again.
    case idle
    /// A session, of its commit.
    case session(Session)
    case closure((Result<StoreResult, StoreError>) -> Void)
  }

  private(set) var request: StoreRequest
  let loop: EventLoop
  private var asker: Asker
  private let onSuccess: (@Sendable (StoreResult) -> Void)?
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
    onSuccess = nil
  }

  /// Something else.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - loop: where the answer is wanted.
  ///   - completion: called there.
  ///   - onSuccess: called there once the store has answered, also if that is when the store works again (``again()``).
  init(
    _ request: StoreRequest, on loop: EventLoop,
    _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void = { _ in },
    onSuccess: (@Sendable (StoreResult) -> Void)? = nil
  ) {
    self.request = request
    self.loop = loop
    asker = .closure(completion)
    self.onSuccess = onSuccess
  }

  /// The same request once more, for which nothing waits: the store has failed.
  ///
  /// - Returns: the job.
  func again() -> StoreJob { StoreJob(request, on: loop, onSuccess: onSuccess) }

  /// Takes another commit on, once the last one is done.
  ///
  /// - Parameters:
  ///   - request: what is to be written.
  ///   - session: whose, on the same loop.
  func commit(_ request: StoreRequest, of session: Session) {
    guard case .idle = asker, session.loop === loop else { preconditionFailure("the job is another commit's") }
    self.request = request
    asker = .session(session)
    result = nil
  }

  /// Hands the result to the session or the closure; to be called on the loop.
  ///
  /// - Returns: whether it was a session's commit: then the job may be used again.
  @discardableResult func complete() -> Bool {
    let result = result ?? .failure(StoreError("The store has not answered."))
    switch asker {
    case .idle: preconditionFailure("a commit is answered once")
    case .session(let session):
      (request, asker) = (.probe, .idle)
      session.core.didCommit(result)
      return true
    case .closure(let completion):
      completion(result)
      if case .success(let done) = result { onSuccess?(done) }
      return false
    }
  }
}
