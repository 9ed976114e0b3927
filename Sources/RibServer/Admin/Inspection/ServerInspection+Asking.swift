import Synchronization

extension ServerInspection {
  /// Asks loops something, and waits for their answers; a loop that takes too long is not asked any more.
  ///
  /// - Parameters:
  ///   - loops: the loops.
  ///   - patience: how long they may take, in nanoseconds; a second unless given.
  ///   - body: called on each loop, with what takes its answer; the answer may come later, on any thread.
  /// - Returns: the answers that have come, in any order.
  func ask<Answer: Sendable>(
    _ loops: [EventLoop], within patience: UInt64 = ServerInspection.patience,
    _ body: @escaping @Sendable (EventLoop, @escaping @Sendable (Answer) -> Void) -> Void
  ) async -> [Answer] {
    await withCheckedContinuation { continuation in
      let pending = Mutex<(missing: Int, answers: [Answer])?>((loops.count, []))
      let finish: @Sendable (_ isLate: Bool) -> Void = { isLate in
        let answers = pending.withLock { pending -> [Answer]? in
          guard let present = pending, isLate || present.missing == 0 else { return nil }
          pending = nil
          return present.answers
        }
        if let answers { continuation.resume(returning: answers) }
      }
      for loop in loops {
        loop.execute {
          // The operator was told that nothing was done.
          guard pending.withLock({ $0 != nil }) else { return }
          body(loop) { answer in
            pending.withLock {
              $0?.answers.append(answer)
              $0?.missing -= 1
            }
            finish(false)
          }
        }
      }
      queue.add(after: patience) { finish(true) }
    }
  }

  /// Asks something of a session that is in memory here.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - body: called on the session's loop.
  /// - Returns: the answer; nil if the session is not in memory here.
  /// - Throws: ``StoreError`` if the session's loop does not answer.
  func askSession<Answer: Sendable>(
    _ id: String, _ body: @escaping @Sendable (SessionCore) -> Answer
  ) async throws -> Answer? {
    guard case .awake(let session) = context.sessions.whereabouts(of: id) else { return nil }
    let answers = await ask([session.loop]) { (_, done: @escaping @Sendable (Answer?) -> Void) in
      done(session.core.life.isInMemory ? body(session.core) : nil)
    }
    guard let answer = answers.first else { throw InspectionError("The session's loop does not answer.") }
    return answer
  }
}

/// Why an operator is not shown something, or something was not done.
package struct InspectionError: Error, Equatable, CustomStringConvertible {
  /// One sentence for the operator.
  package let description: String

  /// A reason.
  package init(_ description: String) { self.description = description }
}
