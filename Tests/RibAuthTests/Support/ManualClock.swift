import RibServer
import Synchronization

/// Clocks that go when a test says so.
final class ManualClock: Sendable {
  /// What the wall clock shows at first.
  static let start = 1_800_000_000

  private let wall = Mutex(start)
  private let monotonic = Mutex(1_000)

  /// Lets time pass.
  func advance(_ seconds: Int) {
    wall.withLock { $0 += seconds }
    monotonic.withLock { $0 += seconds }
  }

  /// Sets the system's clock, which does not change how much time has passed.
  func jump(_ seconds: Int) { wall.withLock { $0 += seconds } }

  /// The system, but for its clocks.
  var environment: Environment {
    var environment = Environment.system
    environment.time = TimeSource(
      monotonic: { [self] in monotonic.withLock { UInt64($0) * 1_000_000_000 } },
      wall: { [self] in wall.withLock { $0 } })
    return environment
  }
}
