import RibCore
import Synchronization

/// One question to the authenticator, and what becomes of its answer.
///
/// | state      | meaning                                        | ``start(_:)`` | ``finish(_:)`` | ``takeResult()`` | ``cancel()`` |
/// |------------|------------------------------------------------|---------------|----------------|------------------|--------------|
/// | `waiting`  | the question waits for its turn                | `running`     |                |                  | `over`       |
/// | `running`  | the authenticator is being asked               |               | `answered`     |                  | `over`       |
/// | `answered` | the answer is on its way to the loop           |               |                | `over`           | `over`       |
/// | `over`     | the answer was taken, or cancel was called     |               |                |                  |              |
///
/// Where a cell is empty, the call does nothing.
final class Authentication: Sendable {
  typealias Answer = Result<Identity?, AuthenticationError>

  /// A question to the authenticator.
  enum Question: Sendable {
    /// Which person a credential belongs to.
    case credential(AuthenticationRequest)
    /// Whether a person is still let in: the answer is that person, or nil.
    case holds(Identity)
  }

  private enum State {
    case waiting
    case running(Task<Void, Never>?)
    case answered(Answer)
    case over
  }

  let question: Question
  /// When the client began to wait, in nanoseconds of the monotonic clock.
  let start: UInt64
  /// The client's place, which a wrong credential is charged to; nil if the client has none.
  let place: Place?
  /// Called on the connection's loop with the outcome.
  let completion: @Sendable (Connection, Result<SignIn?, Ending>) -> Void
  /// Called on any thread once there is an answer for ``takeResult()``; not if ``cancel()`` was called before.
  let whenAnswered: @Sendable (Authentication) -> Void
  private let state = Mutex(State.waiting)

  /// A question that waits for its turn.
  ///
  /// - Parameters:
  ///   - question: what is asked.
  ///   - start: now, in nanoseconds of the monotonic clock.
  ///   - place: the client's place; nil if the client has none.
  ///   - completion: called on the connection's loop with the outcome.
  ///   - whenAnswered: called on any thread once there is an answer.
  init(
    _ question: Question, at start: UInt64, _ place: Place?,
    _ completion: @escaping @Sendable (Connection, Result<SignIn?, Ending>) -> Void,
    whenAnswered: @escaping @Sendable (Authentication) -> Void
  ) {
    self.question = question
    self.start = start
    self.place = place
    self.completion = completion
    self.whenAnswered = whenAnswered
  }

  /// Whether the authenticator is still to be asked.
  var isWaiting: Bool { state.withLock { if case .waiting = $0 { true } else { false } } }

  /// Begins to ask.
  ///
  /// - Parameter makeTask: makes the task that asks the authenticator.
  /// - Returns: false if the question was cancelled, so that no task was made.
  func start(_ makeTask: () -> Task<Void, Never>) -> Bool {
    let begins = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running(nil)
      return true
    }
    guard begins else { return false }
    let task = makeTask()
    let isWanted = state.withLock { state in
      switch state {
      case .running: state = .running(task)
      case .waiting, .answered: break
      case .over: return false
      }
      return true
    }
    if !isWanted { task.cancel() }
    return true
  }

  /// Takes the authenticator's answer.
  func finish(_ answer: Answer) {
    let isWanted = state.withLock { state in
      guard case .running = state else { return false }
      state = .answered(answer)
      return true
    }
    if isWanted { whenAnswered(self) }
  }

  /// Takes the answer for the client; nil if there is none, it was taken before, or the question was cancelled.
  func takeResult() -> Answer? {
    state.withLock { state in
      guard case .answered(let answer) = state else { return nil }
      state = .over
      return answer
    }
  }

  /// Cancels the question, and the task that asks the authenticator.
  ///
  /// - Returns: whether the authenticator was being asked: its task may go on for a while.
  @discardableResult func cancel() -> Bool {
    let old = state.withLock { state in
      defer { state = .over }
      return state
    }
    guard case .running(let task) = old else { return false }
    task?.cancel()
    return true
  }
}
