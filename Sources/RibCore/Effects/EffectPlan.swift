/// What happens in a node when its effects end: the sequences under way, and the throttled effects that are held back.
///
/// A value, so that a rollback restores it by assignment.
struct EffectPlan<Source: Interactor> {
  private struct Sequence {
    var rest: ArraySlice<Effect<Source>>
    /// How many effects of the present step are running.
    var running = 0
    /// The number of the sequence of which this one is a step; nil for none.
    let outer: Int?
  }

  private var sequences: [Int: Sequence] = [:]
  private var lastSequence = 0
  /// The names whose time is being measured, each with the effect that is held back; an inner nil for none.
  private var throttled: [EffectID: Effect<Source>?] = [:]

  // MARK: Sequences

  /// Begins a sequence, and returns its number.
  mutating func begin(_ steps: ArraySlice<Effect<Source>>, within outer: Int?) -> Int {
    lastSequence += 1
    sequences[lastSequence] = Sequence(rest: steps, outer: outer)
    if let outer { sequences[outer]?.running += 1 }
    return lastSequence
  }

  func contains(_ sequence: Int) -> Bool { sequences[sequence] != nil }

  mutating func didStart(in sequence: Int) { sequences[sequence]?.running += 1 }

  /// Removes and returns the next step; nil after the last one.
  mutating func nextStep(of sequence: Int) -> Effect<Source>? { sequences[sequence]?.rest.popFirst() }

  /// Counts an effect of the present step as ended.
  ///
  /// - Returns: whether the next step is due; false if the sequence was given up.
  mutating func didEnd(in sequence: Int) -> Bool {
    guard var current = sequences[sequence] else { return false }
    current.running -= 1
    sequences[sequence] = current
    return current.running == 0
  }

  /// Ends a sequence that has no steps left.
  ///
  /// - Returns: the number of the sequence around it, if that one goes on now.
  mutating func end(_ sequence: Int) -> Int? {
    guard let outer = sequences.removeValue(forKey: sequence)?.outer else { return nil }
    return didEnd(in: outer) ? outer : nil
  }

  /// Gives up a sequence and all sequences around it.
  mutating func abandon(_ sequence: Int) {
    var next: Int? = sequence
    while let number = next {
      let abandoned = sequences.removeValue(forKey: number)
      // Nobody measures the time of such a throttle any more, so its name holds nothing back from now on.
      for step in abandoned?.rest ?? [] {
        if case .endThrottle(let throttle) = step.operation { throttled[throttle.id] = nil }
      }
      next = abandoned?.outer
    }
  }

  // MARK: Throttling

  /// Lets an effect through, or holds it back while the time of another one of its name runs.
  ///
  /// - Returns: whether the effect is let through; its own time begins then.
  mutating func throttle(_ throttle: Effect<Source>.Throttle) -> Bool {
    guard let held = throttled[throttle.id] else {
      throttled[throttle.id] = .some(nil)
      return true
    }
    throttled[throttle.id] = .some(throttle.latest ? throttle.effect : held)
    return false
  }

  /// Drops the effect that is held back under a name; the time goes on.
  mutating func cancel(_ id: EffectID) {
    if throttled[id] != nil { throttled[id] = .some(nil) }
  }

  /// Ends the time in which effects of a name are held back.
  ///
  /// - Returns: the effect that was held back, whose own time begins now; nil for none.
  mutating func endThrottle(_ throttle: Effect<Source>.Throttle) -> Effect<Source>.Throttle? {
    guard case .some(.some(let held)) = throttled.removeValue(forKey: throttle.id) else { return nil }
    throttled[throttle.id] = .some(nil)
    return .init(
      id: throttle.id, duration: throttle.duration, clock: throttle.clock, latest: throttle.latest, effect: held)
  }
}

extension Effect.Throttle {
  /// Waits as long as others are held back, and then reports the end of that time.
  var window: Effect {
    .concatenate(
      .run { [clock, duration] _ in try await clock.sleep(for: duration) }, Effect(operation: .endThrottle(self)))
  }
}
