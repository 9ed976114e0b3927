extension Effect {
  /// Several effects, each of which begins when the one before has ended.
  ///
  /// If one throws or is cancelled, the effects after it do not begin.
  ///
  /// - Parameter effects: what to do.
  /// - Returns: the effect.
  public static func concatenate(_ effects: [Effect]) -> Effect { Effect(operation: .concatenate(effects)) }

  /// Several effects, each of which begins when the one before has ended.
  ///
  /// If one throws or is cancelled, the effects after it do not begin.
  ///
  /// - Parameter effects: what to do.
  /// - Returns: the effect.
  public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Sends the riblet an internal action after a while.
  ///
  /// While it waits, the session stays in memory. A server that ends meanwhile forgets it: what must come all the same has its
  /// time in the state, and begins again in `didRestore` with what is left of it.
  ///
  /// - Parameters:
  ///   - duration: how long to wait.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - clock: what measures it.
  ///   - resumable: whether it may be interrupted while the session is idle and has no client connected, since `didRestore` or
  ///     `didBecomeActive` begins it again.
  ///   - mayMiss: whether a resumable one may be interrupted also while a client is connected.
  ///   - action: the action.
  /// - Returns: the effect.
  public static func after(
    _ duration: Duration, id: some Hashable & Sendable, clock: any Clock<Duration>, resumable: Bool = false,
    mayMiss: Bool = false, _ action: Source.InternalAction
  ) -> Effect {
    .run(id: id, cancelInFlight: true, resumable: resumable, mayMiss: mayMiss) { send in
      try await clock.sleep(for: duration)
      await send(action)
    }
  }

  /// Sends the riblet an internal action again and again, until it is cancelled.
  ///
  /// The times are multiples of the interval since the effect has begun: an action that is late does not make the next one late.
  /// The times that pass while an action is being handled are left out.
  ///
  /// - Parameters:
  ///   - interval: the time from one to the next.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - clock: what measures it.
  ///   - resumable: whether it may be interrupted while the session is idle and has no client connected: `true` suits what
  ///     `didBecomeActive` starts.
  ///   - mayMiss: whether it may be interrupted also while a client is connected.
  ///   - action: the action.
  /// - Returns: the effect.
  public static func timer(
    every interval: Duration, id: some Hashable & Sendable, clock: any Clock<Duration>, resumable: Bool = true,
    mayMiss: Bool = false, _ action: Source.InternalAction
  ) -> Effect {
    precondition(interval > .zero, "a timer has an interval")
    return .run(id: id, cancelInFlight: true, resumable: resumable, mayMiss: mayMiss) { send in
      try await tick(every: interval, clock) { await send(action) }
    }
  }

  private static func tick(
    every interval: Duration, _ clock: some Clock<Duration>, _ body: () async -> Void
  ) async throws {
    var next = clock.now.advanced(by: interval)
    while true {
      try await clock.sleep(until: next, tolerance: nil)
      await body()
      let overdue = next.duration(to: clock.now)
      next = next.advanced(by: interval * (1 + (overdue > .zero ? Int(overdue / interval) : 0)))
    }
  }

  /// Waits until nothing came under a name for a while, and then does what came last.
  ///
  /// What was begun is not cancelled by what comes later: give it the same name to have that.
  ///
  /// - Parameters:
  ///   - id: the name.
  ///   - duration: how long nothing may come.
  ///   - clock: what measures it.
  /// - Returns: the effect.
  public func debounce(
    id: some Hashable & Sendable, for duration: Duration, clock: any Clock<Duration>
  ) -> Effect {
    .concatenate(.run(id: id, cancelInFlight: true) { _ in try await clock.sleep(for: duration) }, self)
  }

  /// Does what comes under a name at most once in a while: the first at once, of the effects that come meanwhile the last one at
  /// the end, or none.
  ///
  /// What is held back is no part of a snapshot: a session that sleeps meanwhile forgets it.
  ///
  /// - Parameters:
  ///   - id: the name.
  ///   - duration: how long to hold back others.
  ///   - clock: what measures it.
  ///   - latest: whether the last effect that was held back is done at the end.
  /// - Returns: the effect.
  public func throttle(
    id: some Hashable & Sendable, for duration: Duration, clock: any Clock<Duration>, latest: Bool = true
  ) -> Effect {
    let throttle = Throttle(id: EffectID(id), duration: duration, clock: clock, latest: latest, effect: self)
    return Effect(operation: .throttle(throttle))
  }

  /// Sends the riblet an internal action for each element of a sequence.
  ///
  /// While it runs, a session with a client connected stays in memory, unless the riblet may miss something: nothing tells a
  /// session that rests what the sequence has. A ``Topic`` or a ``SharedValue`` does.
  ///
  /// - Parameters:
  ///   - sequence: what to observe; made when the effect starts.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - resumable: whether it may be interrupted while the session is idle: `true` suits what `didBecomeActive` starts.
  ///   - mayMiss: whether a resumable one may be interrupted also while a client is connected: the session rests after
  ///     `limits.idleRestSeconds` without an action, and its client is not told of elements until it does something.
  ///   - action: makes the action for an element.
  /// - Returns: the effect.
  public static func observe<Elements: AsyncSequence & SendableMetatype>(
    _ sequence: @escaping @Sendable () async throws -> Elements, id: some Hashable & Sendable, resumable: Bool = true,
    mayMiss: Bool = false, _ action: @escaping @Sendable (Elements.Element) -> Source.InternalAction
  ) -> Effect where Elements.AsyncIterator: SendableMetatype {
    .run(id: id, cancelInFlight: true, resumable: resumable, mayMiss: mayMiss) { send in
      for try await element in try await sequence() { await send(action(element)) }
    }
  }
}
