public import RibCore
public import Testing

extension TestSession {
  /// Lets every effect go on as far as it can; only those that were kept waiting by something outside of the test have not.
  public func settle() { runner?.settle() }

  /// Waits until an effect that waits for something outside of the test has sent something, or has ended.
  ///
  /// Prefer a dependency that the test controls. An effect that waits for the clock too, or that goes on after what it has
  /// sent, is to be named: ``waitForEffect(_:sourceLocation:)``.
  ///
  /// - Parameter sourceLocation: where the test is.
  public func waitForEffects(sourceLocation: SourceLocation = #_sourceLocation) async {
    if await runner?.waitForArrival() != true { failForNothingToWaitFor(sourceLocation) }
  }

  /// Waits until an effect has sent something, or has ended, since the test last did anything.
  ///
  /// Each call waits for one more of what it sends.
  ///
  /// - Parameters:
  ///   - id: the effect's name.
  ///   - sourceLocation: where the test is.
  public func waitForEffect(_ id: some Hashable & Sendable, sourceLocation: SourceLocation = #_sourceLocation) async {
    if await runner?.waitForArrival(from: EffectID(id)) != true { failForNothingToWaitFor(sourceLocation) }
  }

  private func failForNothingToWaitFor(_ location: SourceLocation) {
    let text = Failure.nothingToWaitFor(runner?.inFlight.map { Failure.describe($0, runner) } ?? [])
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
  /// - Throws: what the effect throws, after what it sent has been applied; `Refusal` and `PatchError` for what it sends.
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
    for report in await reports.content { try deliver(report) }
    try end(effect.token, hasFailed: failure != nil)
    if let failure { throw failure }
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
