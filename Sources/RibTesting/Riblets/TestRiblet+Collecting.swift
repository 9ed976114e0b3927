public import RibCore
public import Testing

/// A step of a test that collects states.
public enum TestAction<Action: Sendable>: Sendable {
  /// A view action is sent.
  case action(Action)
  /// The clock is advanced.
  case wait(Duration)
}

/// Why states could not be collected.
public enum CollectionError<State: Sendable>: Error, CustomStringConvertible {
  /// The count is not 1 or more.
  case invalidCount(Int)
  /// The timeout is not more than zero.
  case invalidTimeout(Duration)
  /// The test waits, and the ``TestRiblet`` was made without a clock.
  case noClock
  /// Nothing more happened after these states, which are fewer than expected.
  case unfulfilled(with: [State], expectedCount: Int)
  /// A view action was refused after these states.
  case refused(Refusal, with: [State])

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .invalidCount(let count): "\(count) states cannot be collected: the count has to be 1 or more."
    case .invalidTimeout(let timeout): "Nothing can be waited for in \(timeout): the timeout has to be more than zero."
    case .noClock: "The test waits, but its TestRiblet has no clock: TestRiblet(riblet, clock: clock)."
    case .unfulfilled(let states, let count):
      """
      \(states.count) of \(count) states were collected before nothing more happened:
      \(states.map { "  \($0)" }.joined(separator: "\n"))
      Expect fewer, perform more actions, or wait longer.
      """
    case .refused(let refusal, let states): "\(refusal.message) Until then \(states.count) states were collected."
    }
  }
}

extension TestRiblet where R.State: Sendable {
  /// Performs actions and collects the states that follow: one for each call of a reducer, even if it changes nothing.
  ///
  /// Can be called any number of times. Other observers of the tree and the view see everything as usual. What happens
  /// meanwhile counts as asserted.
  ///
  /// - Parameters:
  ///   - count: how many states to collect; later ones are passed over.
  ///   - actions: what to do, in order.
  ///   - includeFirst: whether the state before the first action is collected as the first one.
  ///   - timeout: how far to advance the clock at most after the last action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Returns: `count` states.
  /// - Throws: ``CollectionError``, with the states collected until then.
  public func collect(
    _ count: Int, performing actions: [TestAction<R.ViewAction>], includeFirst: Bool = false,
    timeout: Duration = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [R.State] {
    guard count > 0 else { throw CollectionError<R.State>.invalidCount(count) }
    guard timeout > .zero else { throw CollectionError<R.State>.invalidTimeout(timeout) }
    begin(Origin(text: "collect", location: sourceLocation))
    let first = includeFirst ? [current] : []
    defer { skipWhatHappened(strict: false) }
    for action in actions {
      switch action {
      case .action(let action):
        do {
          try session.act(action, to: session.tree.rootID, of: R.self, as: ActingClient(), session.origin)
        } catch let refusal as Refusal {
          throw CollectionError.refused(refusal, with: first + log.passes)
        }
      case .wait(let duration):
        guard let clock else { throw CollectionError<R.State>.noClock }
        clock.advance(by: duration)
      }
    }
    if let clock {
      let end = clock.now.advanced(by: timeout)
      while first.count + log.passes.count < count, clock.wakeNext(until: end) {}
      if first.count + log.passes.count < count { clock.advance(by: clock.now.duration(to: end)) }
    }
    guard first.count + log.passes.count >= count else {
      throw CollectionError.unfulfilled(with: first + log.passes, expectedCount: count)
    }
    return Array((first + log.passes).prefix(count))
  }
}
