import Synchronization

/// A clock that goes on only when the test says so.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// How long it was asked to sleep so far, in order.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    state.withLock { $0.sleeps.append($0.now.duration(to: deadline)) }
    while now < deadline {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Goes on once so many sleeps have begun.
  func advance(by duration: Duration, afterSleep count: Int) async {
    while sleeps.count < count, !Task.isCancelled { await Task.yield() }
    state.withLock { $0.now = $0.now.advanced(by: duration) }
  }
}
