import Dispatch

/// What a store tells the time by.
package struct StoreClock: Sendable {
  /// Seconds since 1970, as the system has them now: they jump when the clock is set.
  package let wall: @Sendable () -> Int
  /// Seconds since some point in the past: they never jump, and may stop while the machine sleeps.
  package let monotonic: @Sendable () -> Int

  /// A clock.
  package init(wall: @escaping @Sendable () -> Int, monotonic: @escaping @Sendable () -> Int) {
    self.wall = wall
    self.monotonic = monotonic
  }

  /// The system's.
  package static let system = StoreClock(
    wall: { wallClockSeconds() }, monotonic: { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000_000) })
}
