/// What a node has to do when effects end: sequences that are under way, and effects that are held back.
///
/// A value, so that a failed transaction brings back the old one.
struct EffectPlan<Source: Interactor> {
  private struct Sequence {
    var rest: ArraySlice<Effect<Source>>
    /// How many effects of the present step run.
    var running = 0
    /// The sequence of which this one is a step.
    let outer: Int?
  }

  private var sequences: [Int: Sequence] = [:]
  private var lastSequence = 0
  /// What is held back under a name while its time runs; nil in nil for nothing yet.
  private var throttled: [EffectID: Effect<Source>?] = [:]

  // MARK: Sequences

  /// Begins a sequence.
  ///
  /// - Returns: its number.
  mutating func begin(_ steps: ArraySlice<Effect<Source>>, within outer: Int?) -> Int {
    lastSequence += 1
    sequences[lastSequence] = Sequence(rest: steps, outer: outer)
    if let outer { sequences[outer]?.running += 1 }
    return lastSequence
  }

  func contains(_ sequence: Int) -> Bool { sequences[sequence] != nil }

  mutating func didStart(in sequence: Int) { sequences[sequence]?.running += 1 }

  /// The next step; nil after the last one.
  mutating func nextStep(of sequence: Int) -> Effect<Source>? { sequences[sequence]?.rest.popFirst() }

  /// Takes note that an effect of the present step has ended.
  ///
  /// - Returns: whether the next step is due; false if the sequence was given up.
  mutating func didEnd(in sequence: Int) -> Bool {
    guard var current = sequences[sequence] else { return false }
    current.running -= 1
    sequences[sequence] = current
    return current.running == 0
  }

  /// Ends a sequence without steps.
  ///
  /// - Returns: the one around it, if it goes on.
  mutating func end(_ sequence: Int) -> Int? {
    guard let outer = sequences.removeValue(forKey: sequence)?.outer else { return nil }
    return didEnd(in: outer) ? outer : nil
  }

  /// Gives up a sequence, and the sequences around it.
  mutating func abandon(_ sequence: Int) {
    var next: Int? = sequence
    while let number = next {
      let abandoned = sequences.removeValue(forKey: number)
      // A throttle whose time is not measured any more lets through what comes.
      for step in abandoned?.rest ?? [] {
        if case .endThrottle(let throttle) = step.operation { throttled[throttle.id] = nil }
      }
      next = abandoned?.outer
    }
  }

  // MARK: Throttling

  /// Holds back an effect while another's time runs.
  ///
  /// - Returns: whether it is let through, and its own time begins.
  mutating func throttle(_ throttle: Effect<Source>.Throttle) -> Bool {
    guard let held = throttled[throttle.id] else {
      throttled[throttle.id] = .some(nil)
      return true
    }
    throttled[throttle.id] = .some(throttle.latest ? throttle.effect : held)
    return false
  }

  /// Gives up what is held back under a name; the time goes on.
  mutating func cancel(_ id: EffectID) {
    if throttled[id] != nil { throttled[id] = .some(nil) }
  }

  /// Ends the time of an effect.
  ///
  /// - Returns: what was held back, whose own time begins.
  mutating func endThrottle(_ throttle: Effect<Source>.Throttle) -> Effect<Source>.Throttle? {
    guard case .some(.some(let held)) = throttled.removeValue(forKey: throttle.id) else { return nil }
    throttled[throttle.id] = .some(nil)
    return .init(
      id: throttle.id, duration: throttle.duration, clock: throttle.clock, latest: throttle.latest, effect: held)
  }
}

extension Effect.Throttle {
  /// Measures the time in which others are held back.
  var window: Effect {
    .concatenate(
      .run { [clock, duration] _ in try await clock.sleep(for: duration) }, Effect(operation: .endThrottle(self)))
  }
}
