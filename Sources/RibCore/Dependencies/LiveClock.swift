/// The system's continuous clock, whose time a recording notes where a reducer asks for it.
struct LiveClock: Clock {
  typealias Instant = ContinuousClock.Instant

  private let clock = ContinuousClock()

  var now: Instant { DrawTape.draw("clock") { clock.now } }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
