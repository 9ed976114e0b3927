import Synchronization

extension EventLoop {
  /// How many jobs are kept for the commits to come.
  private static let spareJobLimit = 64

  /// A job for a session's commit.
  ///
  /// - Parameters:
  ///   - request: what is to be written.
  ///   - session: whose.
  /// - Returns: the job, to be given to the store.
  func job(for request: StoreRequest, of session: Session) -> StoreJob {
    guard let job = spareJobs.popLast() else { return StoreJob(request, committing: session) }
    job.commit(request, of: session)
    return job
  }

  /// Tells those who have asked the store what became of it, in order: for a while, and then what else is queued has its turn.
  ///
  /// A handler that waits for events takes them from the inbox, which saves two ways through libdispatch for each commit: the job's, and
  /// that of the handler, which would have to return for it.
  ///
  /// Thread-safe.
  ///
  /// - Parameter jobs: what the store has answered.
  func answer(_ jobs: [StoreJob]) {
    let isFirst = inbox.withLock { inbox in
      defer { if inbox.isEmpty { inbox = jobs } else { inbox += jobs } }
      return inbox.isEmpty
    }
    // Otherwise whoever has put the first one there sees to it.
    guard isFirst, poller?.wake() != true else { return }
    execute { [self] in receiveAnswers() }
  }

  /// Takes what is in the inbox, and tells it.
  func receiveAnswers() {
    let jobs = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
    guard !jobs.isEmpty else { return }
    let isTelling = !answers.isEmpty
    answers.append(jobs)
    if !isTelling { tellAnswers() }
  }

  /// Does something on the loop once all answers are told that the store has given before.
  ///
  /// Thread-safe.
  ///
  /// - Parameter body: what is to be done.
  func afterAnswers(_ body: @escaping @Sendable () -> Void) {
    let job = StoreJob(.probe, on: self) { _ in body() }
    job.result = .success(.noted)
    answer([job])
  }

  private func tellAnswers() {
    let end = time() + StoreAnswers.turn
    while let job = answers.next() {
      if job.complete(), !isStopping, spareJobs.count < Self.spareJobLimit { spareJobs.append(job) }
      guard time() < end else { break }
    }
    if !answers.isEmpty { execute { [self] in tellAnswers() } }
  }
}
