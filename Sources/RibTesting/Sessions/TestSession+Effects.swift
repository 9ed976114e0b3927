public import RibCore
public import Testing

extension TestSession {
  /// Lets every effect go on as far as it can; only those that were kept waiting by something outside of the test have not.
  public func settle() { runner?.settle() }

  /// Waits until an effect that waits for something outside of the test has sent something.
  ///
  /// Each call waits for one more of what effects have sent since the test last acted. Prefer a dependency that the test
  /// controls.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait for an effect that sleeps on the test's clock, too, for it waits for something else
  ///     besides.
  ///   - limit: how long in real time; a failure names the effects that were waited for.
  ///   - sourceLocation: where the test is.
  public func waitForEffects(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await wait(evenAsleep, limit, sourceLocation) { [self] in runner?.takeArrival() ?? false }
  }

  /// Waits until no effect waits for something outside of the test any more.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait for effects that sleep on the test's clock, too.
  ///   - limit: how long in real time.
  ///   - sourceLocation: where the test is.
  public func waitForEffectsToEnd(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await wait(evenAsleep, limit, sourceLocation) { [self] in
      runner.map { (evenAsleep ? $0.inFlight : $0.outside).isEmpty } ?? false
    }
  }

  /// Waits until something is true, or fails.
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

  /// Ends an effect that runs, and gives up what waits for its end.
  func endEffect(_ token: EffectToken) {
    runner?.cancel(token)
    do {
      try end(token, hasFailed: true)
    } catch {
      Issue.record(Comment(rawValue: Failure.refused(error, "the end of an effect")), sourceLocation: origin.location)
    }
  }

  /// Runs the oldest pending effect to its end; what it sends is applied at once.
  ///
  /// What it sends is applied to the end, also if some of it is refused: a server does not tell an effect of that.
  ///
  /// - Throws: what the effect throws, after what it sent has been applied; the first `Refusal` of what it sends, or of
  ///   what follows its end; `PatchError`.
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

  /// Runs the oldest pending effect but keeps what it sends, for ``deliver(_:)``.
  ///
  /// - Returns: what it sent, in order.
  /// - Throws: what the effect throws.
  public func reportsOfNextEffect() async throws -> [EffectReport] {
    guard !pendingEffects.isEmpty else { throw NoPendingEffect() }
    let effect = pendingEffects.removeFirst()
    let reports = ReportBox()
    try await effect.run { report in await reports.append(report) }
    return await reports.content
  }
}

/// A test wanted an effect to run, and there is none.
public struct NoPendingEffect: Error, CustomStringConvertible {
  /// What is wrong, and what to look for.
  public var description: String {
    "No effect is pending: either no reducer returned .run, or its effect was run or cancelled already."
  }
}

/// Collects what an effect sends, wherever it runs.
private actor ReportBox {
  private(set) var content: [EffectReport] = []
  func append(_ report: EffectReport) { content.append(report) }
}
