/// The two clocks that a server tells the time by.
package struct TimeSource: Sendable {
  /// Nanoseconds since some point in the past: they never jump, and may stop while the machine sleeps.
  package var monotonic: @Sendable () -> UInt64
  /// Seconds since 1970, as the system has them now: they jump when the clock is set.
  package var wall: @Sendable () -> Int
  /// The same in milliseconds; of a clock that has only seconds, the last millisecond of the second.
  package var wallMilliseconds: @Sendable () -> Int

  /// Two clocks.
  package init(
    monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Int,
    wallMilliseconds: (@Sendable () -> Int)? = nil
  ) {
    self.monotonic = monotonic
    self.wall = wall
    self.wallMilliseconds = wallMilliseconds ?? { wall() * 1000 + 999 }
  }

  /// Whole seconds of the clock that never jumps.
  package var seconds: Int { Int(monotonic() / 1_000_000_000) }

  /// The system's.
  package static let system = TimeSource(
    monotonic: { monotonicNanoseconds() }, wall: { wallClockSeconds() },
    wallMilliseconds: { wallClockMilliseconds() })
}
