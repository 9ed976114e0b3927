import RibCore
public import Testing

/// The end of a test and of its effects, and the wait for effects.
extension TestRiblet {
  /// Asserts that everything was asserted and no effect runs, as the end of the test does.
  public func finish(
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    checkTheEnd(sourceLocation)
    skipWhatHappened(strict: false)
    skipEffectsInFlight(strict: false)
  }

  /// Passes over everything that has happened and was not asserted.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if there is nothing to pass over.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func skipWhatHappened(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    if strict, happenings.isEmpty { fail(Failure.nothingToSkip, at: sourceLocation) }
    log.clear()
    state = current
  }

  /// Ends the running effects of the riblet and of its embedded children.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if no effect runs.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func skipEffectsInFlight(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    let flights = flights
    if strict, flights.isEmpty { fail(Failure.noEffectToSkip, at: sourceLocation) }
    for flight in flights { session.endEffect(flight.effect.token) }
  }

  /// Waits until there is something to assert, from an effect that waits for something outside of the test.
  ///
  /// For what a child's effect sends to the child, use
  /// ``TestSession/waitForEffects(evenAsleep:atMost:sourceLocation:)``.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait also for effects that sleep on the test's clock, as they may wait for something
  ///     else as well.
  ///   - limit: how long to wait, in real time; the failure names the effects that were waited for.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func waitForEffects(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await session.wait(evenAsleep, limit, sourceLocation) { [log] in !log.happenings.isEmpty }
  }

  /// Waits until no effect waits for something outside of the test any more.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait also for effects that sleep on the test's clock.
  ///   - limit: how long to wait, in real time; the failure names the effects that were waited for.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func waitForEffectsToEnd(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await session.waitForEffectsToEnd(evenAsleep: evenAsleep, atMost: limit, sourceLocation: sourceLocation)
  }
}
