import Synchronization

@testable import RibServer

/// A store's clock that goes when a test says so.
final class TestClock: Sendable {
  private let wall: Mutex<Int>
  private let monotonic = Mutex(0)

  init(_ seconds: Int = 1_800_000_000) { wall = Mutex(seconds) }

  /// Lets time pass.
  func advance(_ seconds: Int) {
    wall.withLock { $0 += seconds }
    monotonic.withLock { $0 += seconds }
  }

  /// Sets the system's clock, which does not change how much time has passed.
  func jump(_ seconds: Int) { wall.withLock { $0 += seconds } }

  /// What a store is given.
  var clock: TimeSource {
    TimeSource(
      monotonic: { [self] in monotonic.withLock { UInt64($0) * 1_000_000_000 } },
      wall: { [self] in wall.withLock { $0 } })
  }
}
