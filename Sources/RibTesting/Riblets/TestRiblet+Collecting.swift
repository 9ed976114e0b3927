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
  /// There is nothing to collect.
  case invalidCount(Int)
  /// There is no time.
  case invalidTimeout(Duration)
  /// The test waits, and its riblet was not given a clock.
  case noClock
  /// There were fewer states than that: these.
  case unfulfilled(with: [State], expectedCount: Int)
  /// A view action was refused, after these states.
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
  /// Performs actions and collects the states that follow: one for each pass of a reducer, whether it changes something or
  /// not.
  ///
  /// It can be called any number of times, and takes nothing from anyone: the view and the tree's other observers see
  /// what they would see. What happens in it counts as asserted.
  ///
  /// - Parameters:
  ///   - count: how many states; what comes after them is passed over.
  ///   - actions: what to do, in order.
  ///   - includeFirst: whether the state before the first action is the first one.
  ///   - timeout: how far the clock is advanced at most after the last action.
  ///   - sourceLocation: where the test is.
  /// - Returns: as many states as wanted.
  /// - Throws: ``CollectionError``, with the states that there were.
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
          try session.act(action, to: session.tree.rootID, of: R.self, session.origin)
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
