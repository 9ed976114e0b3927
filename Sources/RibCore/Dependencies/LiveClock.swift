/// The system's continuous clock; a recording notes each time that a reducer reads from it.
struct LiveClock: Clock {
  typealias Instant = ContinuousClock.Instant

  private let clock = ContinuousClock()

  var now: Instant { DrawTape.draw("clock") { clock.now } }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
