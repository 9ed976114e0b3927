import Synchronization

/// A clock that moves on only when the test says so.
///
/// Give it to a riblet in place of the real one. When ``advance(by:)`` returns, every effect of a ``TestRiblet`` or
/// ``TestSession`` that was due has gone on as far as it can, and what it sent has arrived: a test needs neither
/// `await` nor time-outs.
public final class ManualClock: Clock {
  /// A time on a ``ManualClock``, counted from its beginning.
  public struct Instant: InstantProtocol {
    /// The time since the clock's beginning.
    public var offset: Duration

    /// The time so long after the clock's beginning.
    public init(offset: Duration) { self.offset = offset }

    /// The time so much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How long it is to another time; negative if the other one is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether one time is earlier than another.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct WeakRunner {
    weak var runner: EffectRunner?
  }

  private struct State {
    var now = Instant(offset: .zero)
    var lastNumber = 0
    var sleepers: [Sleeper] = []
    /// The numbers of sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    /// The runners whose effects have slept on the clock.
    var runners: [WeakRunner] = []

    mutating func enter(_ runner: EffectRunner) {
      runners.removeAll { $0.runner == nil }
      if !runners.contains(where: { $0.runner === runner }) { runners.append(WeakRunner(runner: runner)) }
    }

    /// Removes the sleeper that wakes next and moves on to its time; nil if none wakes until `limit`.
    mutating func wakeNext(until limit: Instant) -> Sleeper? {
      let next = sleepers.indices.min { left, right in
        (sleepers[left].deadline, sleepers[left].number) < (sleepers[right].deadline, sleepers[right].number)
      }
      guard let next, sleepers[next].deadline <= limit else { return nil }
      now = max(now, sleepers[next].deadline)
      return sleepers.remove(at: next)
    }
  }

  private let state = Mutex(State())

  /// A clock at its beginning.
  public init() {}

  /// The present time.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero: a clock that only the test moves is exact.
  public var minimumResolution: Duration { .zero }
  /// The number of tasks that sleep on the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Waits until the test has advanced the clock to a deadline; the tolerance is ignored.
  ///
  /// - Throws: `CancellationError`.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let effect = EffectContext.current
    let number = state.withLock { state in
      if let effect { state.enter(effect.runner) }
      state.lastNumber += 1
      return state.lastNumber
    }
    if let effect { effect.runner.didFallAsleep(effect, until: deadline, on: self) }
    defer {
      if let effect { effect.runner.didWake(effect, at: deadline, on: self) }
      _ = state.withLock { $0.cancelled.remove(number) }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil as Sleeper?
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock on, from one sleeper's deadline to the next, and lets each effect that wakes go on as far as it
  /// can.
  ///
  /// The other sessions whose effects have slept on this clock go on as well: what one session publishes has arrived at
  /// the others.
  public func advance(by duration: Duration) {
    settle()
    let end = now.advanced(by: duration)
    while wakeNext(until: end) {}
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Moves the clock on until no task sleeps any more, or until a limit: a repeating timer sleeps for ever.
  public func runUntilNobodySleeps(atMost limit: Duration = .seconds(3600)) {
    settle()
    let end = now.advanced(by: limit)
    while wakeNext(until: end) {}
  }

  /// Moves on to the deadline of the sleeper that wakes next, and lets it go on as far as it can.
  ///
  /// - Returns: false if no sleeper wakes until `limit`; the clock has not moved then.
  func wakeNext(until limit: Instant) -> Bool {
    guard let sleeper = state.withLock({ $0.wakeNext(until: limit) }) else { return false }
    sleeper.continuation.resume()
    settle()
    return true
  }

  /// Lets all effects of the sessions that have slept on the clock go on as far as they can, and those that these wake
  /// in turn.
  private func settle() {
    let runners = state.withLock { $0.runners.compactMap(\.runner) }
    for _ in 0..<EffectRunner.arrivalLimit {
      guard runners.reduce(false, { $1.settle() || $0 }) else { return }
    }
    // The sessions answer one another for ever.
    for runner in runners { runner.overflow() }
  }
}
