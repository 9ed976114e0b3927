/// A clock on which everything takes a hundredth of its time.
struct ShrunkClock: Clock {
  struct Instant: InstantProtocol {
    var real: ContinuousClock.Instant
    func advanced(by duration: Duration) -> Instant { Instant(real: real.advanced(by: duration / 100)) }
    func duration(to other: Instant) -> Duration { real.duration(to: other.real) * 100 }
    static func < (left: Instant, right: Instant) -> Bool { left.real < right.real }
  }

  var now: Instant { Instant(real: ContinuousClock.now) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline.real)
  }
}
