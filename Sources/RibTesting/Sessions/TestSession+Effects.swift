package import RibCore
public import Testing

extension TestSession {
  /// Lets every effect go on as far as it can; afterwards each effect sleeps or waits for something outside of the
  /// test.
  public func settle() { runner?.settle() }

  /// Waits until an effect that waits for something outside of the test has sent something.
  ///
  /// Each call waits for one more of the reports that have arrived since the test last acted. If you can, give the
  /// riblet a dependency that the test controls instead.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait also for effects that sleep on the test's clock, as they may wait for something
  ///     else as well.
  ///   - limit: how long to wait, in real time; the failure names the effects that were waited for.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func waitForEffects(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await wait(evenAsleep, limit, sourceLocation) { [self] in runner?.takeArrival() ?? false }
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
    await wait(evenAsleep, limit, sourceLocation) { [self] in
      runner.map { (evenAsleep ? $0.inFlight : $0.outside).isEmpty } ?? false
    }
  }

  /// Waits until a condition is true; records a failure if it does not become true.
  func wait(
    _ evenAsleep: Bool, _ limit: Duration, _ location: SourceLocation, until condition: () -> Bool
  ) async {
    let outcome = await runner?.wait(atMost: limit, evenAsleep: evenAsleep, until: condition)
    if outcome == .over { return }
    let effects = runner?.inFlight.map { Failure.describe($0, runner) } ?? []
    let text =
      switch outcome {
      case .tooLong: Failure.waitedTooLong(limit, effects)
      case nil where !pendingEffects.isEmpty: Failure.effectsAreHeld
      default: Failure.nothingToWaitFor(effects)
      }
    Issue.record(Comment(rawValue: text), sourceLocation: location)
  }

  /// Ends a running effect, and gives up the sequence that waits for its end.
  func endEffect(_ token: EffectToken) {
    runner?.cancel(token)
    do {
      try end(token, hasFailed: true)
    } catch {
      Issue.record(Comment(rawValue: Failure.refused(error, "the end of an effect")), sourceLocation: origin.location)
    }
  }

  /// Runs the oldest pending effect to its end, and then applies everything that it has sent, in order.
  ///
  /// A refusal does not stop this: a server does not tell an effect either that something it sent was refused.
  ///
  /// - Throws: what the effect throws; else the first `Refusal` of what it sent; or at once the `Refusal` of what
  ///   follows its end, or a `PatchError`. ``NoPendingEffect`` if there is none.
  public func runNextEffect() async throws {
    guard !pendingEffects.isEmpty else { throw NoPendingEffect() }
    let effect = pendingEffects.removeFirst()
    let reports = ReportBox()
    var failure: (any Error)?
    do {
      try await effect.run { report in await reports.append(report) }
    } catch {
      failure = error
    }
    var refusal: (any Error)?
    for report in await reports.content {
      do {
        try deliver(report)
      } catch let error as Refusal {
        if refusal == nil { refusal = error }
      }
    }
    try end(effect.token, hasFailed: failure != nil)
    if let error = failure ?? refusal { throw error }
  }

  /// Runs the oldest pending effect, and returns what it sends, in order, for ``deliver(_:)``.
  ///
  /// - Throws: what the effect throws; ``NoPendingEffect`` if there is none.
  package func reportsOfNextEffect() async throws -> [EffectReport] {
    guard !pendingEffects.isEmpty else { throw NoPendingEffect() }
    let effect = pendingEffects.removeFirst()
    let reports = ReportBox()
    try await effect.run { report in await reports.append(report) }
    return await reports.content
  }
}

/// The test runs an effect, and none is pending.
public struct NoPendingEffect: Error, CustomStringConvertible {
  /// What is wrong, and what to look for.
  public var description: String {
    "No effect is pending: either no reducer returned .run, or its effect was run or cancelled already."
  }
}

/// Collects what an effect sends, on whatever thread it runs.
private actor ReportBox {
  private(set) var content: [EffectReport] = []
  func append(_ report: EffectReport) { content.append(report) }
}
