extension Effect {
  /// Effects in sequence: each one begins when the effect before it has ended.
  ///
  /// If one throws or is cancelled, the effects after it do not begin.
  public static func concatenate(_ effects: [Effect]) -> Effect { Effect(operation: .concatenate(effects)) }

  /// Effects in sequence: each one begins when the effect before it has ended.
  ///
  /// If one throws or is cancelled, the effects after it do not begin.
  public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Sends the riblet an internal action after a while.
  ///
  /// The session stays in memory meanwhile; the action is lost if its server ends. If it has to come all the same, keep its
  /// time in the state, and let `didRestore` wait for what is left of it.
  ///
  /// - Parameters:
  ///   - duration: how long to wait.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - clock: measures the time; use the riblet's dependency, which a test can replace.
  ///   - resumable: whether the session may rest meanwhile, if no client is connected: for an effect that `didBecomeActive`
  ///     or `didRestore` starts again.
  ///   - mayMiss: whether a resumable effect lets the session rest also while a client is connected.
  ///   - action: what to send.
  /// - Returns: an effect that ends with the action.
  public static func after(
    _ duration: Duration, id: some Hashable & Sendable, clock: any Clock<Duration>, resumable: Bool = false,
    mayMiss: Bool = false, _ action: Source.InternalAction
  ) -> Effect {
    .run(id: id, cancelInFlight: true, resumable: resumable, mayMiss: mayMiss) { send in
      try await clock.sleep(for: duration)
      await send(action)
    }
  }

  /// Sends the riblet an internal action again and again, until the effect is cancelled.
  ///
  /// The times are multiples of the interval since the effect began: a late action does not delay the next one. Times that
  /// pass while an action is being handled are left out.
  ///
  /// - Parameters:
  ///   - interval: the time from one action to the next; more than zero.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - clock: measures the time; use the riblet's dependency, which a test can replace.
  ///   - resumable: whether the session may rest while the effect runs, if no client is connected: `true` suits an
  ///     effect that `didBecomeActive` starts.
  ///   - mayMiss: whether a resumable effect lets the session rest also while a client is connected.
  ///   - action: what to send.
  /// - Returns: an effect that runs until it is cancelled.
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

  /// Begins the effect once nothing has come under a name for a while; what comes earlier begins the wait anew.
  ///
  /// An effect that has begun is not cancelled by what comes later, unless it has the same name itself.
  ///
  /// - Parameters:
  ///   - id: the name; shared by the effects of which only the last is to begin.
  ///   - duration: how long nothing may come.
  ///   - clock: measures the time; use the riblet's dependency, which a test can replace.
  /// - Returns: this effect after the wait.
  public func debounce(
    id: some Hashable & Sendable, for duration: Duration, clock: any Clock<Duration>
  ) -> Effect {
    .concatenate(.run(id: id, cancelInFlight: true) { _ in try await clock.sleep(for: duration) }, self)
  }

  /// Lets effects of a name through at most once in a while: the first at once, and the last of those held back at the
  /// end.
  ///
  /// An effect that is held back is not saved: it is lost if the session leaves memory meanwhile.
  ///
  /// - Parameters:
  ///   - id: the name; shared by the effects of which one is let through at a time.
  ///   - duration: how long others are held back after one was let through.
  ///   - clock: measures the time; use the riblet's dependency, which a test can replace.
  ///   - latest: whether the last effect held back is let through at the end; if not, all of them are dropped.
  /// - Returns: this effect, now, later or never.
  public func throttle(
    id: some Hashable & Sendable, for duration: Duration, clock: any Clock<Duration>, latest: Bool = true
  ) -> Effect {
    let throttle = Throttle(id: EffectID(id), duration: duration, clock: clock, latest: latest, effect: self)
    return Effect(operation: .throttle(throttle))
  }

  /// Sends the riblet an internal action for each element of a sequence.
  ///
  /// While the effect runs, a session with a client connected stays in memory, unless `mayMiss` is true: nothing tells
  /// a resting session of an element. For a ``Topic`` or a ``SharedValue`` a bell does, so prefer their `observe`.
  ///
  /// - Parameters:
  ///   - sequence: makes the sequence when the effect starts.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - resumable: whether the session may rest while the effect runs, if no client is connected: `true` suits an
  ///     effect that `didBecomeActive` starts.
  ///   - mayMiss: whether a resumable effect lets the session rest also while a client is connected: after
  ///     `limits.idleRestSeconds` without an action, and its client is not told of elements until it acts again.
  ///   - action: makes the action for an element.
  /// - Returns: an effect that ends with the sequence.
  public static func observe<Elements: AsyncSequence & SendableMetatype>(
    _ sequence: @escaping @Sendable () async throws -> Elements, id: some Hashable & Sendable, resumable: Bool = true,
    mayMiss: Bool = false, _ action: @escaping @Sendable (Elements.Element) -> Source.InternalAction
  ) -> Effect where Elements.AsyncIterator: SendableMetatype {
    .run(id: id, cancelInFlight: true, resumable: resumable, mayMiss: mayMiss) { send in
      for try await element in try await sequence() { await send(action(element)) }
    }
  }
}
