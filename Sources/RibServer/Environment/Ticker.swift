import Synchronization

/// Looks at something again and again, for as long as somebody holds it.
///
/// Its queue is its own: such a queue gets a thread also when all threads of the system's pools are busy or blocked.
final class Ticker<State: Sendable>: Sendable {
  private let queue: any JobQueue
  private let interval: UInt64
  private let state: Mutex<State>
  private let isCancelled = Atomic(false)
  private let look: @Sendable (inout State) -> Bool

  /// A ticker that goes from now on.
  ///
  /// - Parameters:
  ///   - name: for debuggers.
  ///   - environment: what makes its queue.
  ///   - interval: nanoseconds between two looks.
  ///   - state: what is known before the first look.
  ///   - look: called after that time for the first time; says whether to go on.
  init(
    _ name: String, _ environment: Environment, every interval: UInt64 = 1_000_000_000, _ state: State,
    look: @escaping @Sendable (inout State) -> Bool
  ) {
    self.interval = interval
    queue = environment.makeQueue(name, .urgent)
    self.state = Mutex(state)
    self.look = look
    schedule()
  }

  /// Looks no more: a look that goes on is waited for, so that nothing of it comes afterwards.
  ///
  /// Thread-safe; not to be called by a look.
  func cancel() { state.withLock { _ in isCancelled.store(true, ordering: .relaxed) } }

  private func schedule() {
    queue.add(after: interval) { [weak self] in
      guard let self,
        state.withLock({ !isCancelled.load(ordering: .relaxed) && look(&$0) })
      else { return }
      schedule()
    }
  }
}
