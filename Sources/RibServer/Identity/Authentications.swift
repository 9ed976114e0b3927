import RibCore
import Synchronization

/// The queue of questions to the authenticator: a bounded number of them run at a time, in tasks and never on a loop.
final class Authentications: Sendable {
  /// How many questions run at a time.
  static let limit = 64
  /// How many abandoned questions may run besides: an authenticator that hangs and ignores the cancellation of its task takes this much
  /// memory and no more.
  static let abandonedLimit = 1024
  /// How many questions may wait for their turn.
  static let waitingLimit = 16_384
  private struct Content {
    /// The questions that run, up to ``limit``.
    var running: Set<ObjectIdentifier> = []
    /// Those among them whose clients have gone: they count towards ``limit`` for as long as the client would have waited.
    var left: [Authentication] = []
    /// How many questions run that do not count towards ``limit``, as the client has waited, or would have waited, for long enough.
    var abandonedCount = 0
    /// The questions that wait for their turn, from `head` on.
    var waiting: [Authentication] = []
    var head = 0

    /// Abandons the questions in ``left`` whose clients would have stopped waiting by now.
    mutating func abandonLate(at now: UInt64, after patience: UInt64) {
      for late in left where now - min(late.start, now) >= patience {
        if running.remove(ObjectIdentifier(late)) != nil { abandonedCount += 1 }
      }
      left.removeAll { !running.contains(ObjectIdentifier($0)) }
    }

    /// Takes the next question that was not cancelled, if one more may run.
    mutating func takeNext() -> Authentication? {
      while running.count < limit, abandonedCount < abandonedLimit, head < waiting.count {
        let next = waiting[head]
        head += 1
        if head == waiting.count {
          (waiting, head) = ([], 0)
        } else if head > waiting.count / 2 {
          waiting.removeFirst(head)
          head = 0
        }
        guard next.isWaiting else { continue }
        running.insert(ObjectIdentifier(next))
        return next
      }
      return nil
    }
  }

  private let authenticator: Mutex<any SessionAuthenticator>
  private let environment: Environment
  /// How long a client waits, in nanoseconds.
  private let patience: Atomic<UInt64>
  private let content = Mutex(Content())

  /// An empty queue.
  ///
  /// - Parameters:
  ///   - authenticator: the authenticator.
  ///   - environment: has the executor of the tasks, and the clock.
  ///   - seconds: how long a client waits.
  init(_ authenticator: any SessionAuthenticator, _ environment: Environment, patience seconds: Int) {
    self.authenticator = Mutex(authenticator)
    self.environment = environment
    patience = Atomic(UInt64(seconds) * 1_000_000_000)
  }

  /// Whether the authenticator lets nobody in without a credential.
  var requiresCredential: Bool { authenticator.withLock { $0.requiresCredential } }

  /// Asks another authenticator from the next question on, and has clients wait for another time.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - authenticator: the authenticator; nil for the same as before.
  ///   - seconds: how long a client waits.
  func replace(_ authenticator: (any SessionAuthenticator)?, patience seconds: Int) {
    if let authenticator { self.authenticator.withLock { $0 = authenticator } }
    patience.store(UInt64(seconds) * 1_000_000_000, ordering: .relaxed)
  }

  /// Asks a question as soon as it is its turn.
  ///
  /// - Parameter authentication: the question.
  /// - Returns: false if too many questions are abandoned, or wait for their turn: it is not asked then.
  func begin(_ authentication: Authentication) -> Bool {
    let isPossible = content.withLock { content in
      guard content.abandonedCount < Self.abandonedLimit, content.waiting.count - content.head < Self.waitingLimit
      else {
        return false
      }
      content.waiting.append(authentication)
      return true
    }
    if isPossible { startNext() }
    return isPossible
  }

  /// Cancels a question that was not answered in time: if it runs, it is abandoned, and the next one begins.
  func giveUp(_ authentication: Authentication) {
    guard authentication.cancel() else { return }
    content.withLock { content in
      if content.running.remove(ObjectIdentifier(authentication)) != nil { content.abandonedCount += 1 }
    }
    startNext()
  }

  /// Cancels the question of a client that has gone.
  ///
  /// If it runs, it still counts towards ``limit``: otherwise clients that come and go could have more questions run at a time.
  func leave(_ authentication: Authentication) {
    guard authentication.cancel() else { return }
    content.withLock { content in
      if content.running.contains(ObjectIdentifier(authentication)) { content.left.append(authentication) }
    }
  }

  private func startNext() {
    let now = environment.time.monotonic()
    while let next = content.withLock({ content in
      content.abandonLate(at: now, after: patience.load(ordering: .relaxed))
      return content.takeNext()
    }) {
      let isStarted = next.start {
        Task.detached(executorPreference: environment.taskExecutor) { [self] in
          next.finish(await ask(next.question))
          didEnd(next)
        }
      }
      // The question was cancelled meanwhile: the next one begins.
      if !isStarted { content.withLock { _ = $0.running.remove(ObjectIdentifier(next)) } }
    }
  }

  private func ask(_ question: Authentication.Question) async -> Authentication.Answer {
    let authenticator = authenticator.withLock { $0 }
    do throws(AuthenticationError) {
      switch question {
      case .credential(let request): return .success(try await authenticator.authenticate(request))
      case .holds(let identity): return .success(await authenticator.holds(identity) ? identity : nil)
      }
    } catch {
      return .failure(error)
    }
  }

  private func didEnd(_ authentication: Authentication) {
    content.withLock { content in
      if content.running.remove(ObjectIdentifier(authentication)) == nil { content.abandonedCount -= 1 }
    }
    startNext()
  }
}
