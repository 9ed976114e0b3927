extension EventLoop {
  /// Tells those who have asked the store what became of it, in order: for a while, and then what else is queued has its turn.
  ///
  /// Thread-safe.
  ///
  /// - Parameter jobs: what the store has answered.
  func answer(_ jobs: [StoreJob]) {
    execute { [self] in
      let isTelling = !answers.isEmpty
      answers.append(jobs)
      if !isTelling { tellAnswers() }
    }
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
      job.complete()
      guard time() < end else { break }
    }
    if !answers.isEmpty { execute { [self] in tellAnswers() } }
  }
}
