import CustomDump
public import RibCore
public import Testing

extension TestRiblet {
  // MARK: Acting

  /// Sends a view action, and asserts what it changes.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that the reducer is to make, beginning with the state before; nil if it is to make none.
  public func send(
    _ action: R.ViewAction, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    perform(origin, change) { session in try session.act(action, to: session.tree.rootID, of: R.self) }
  }

  /// Sends a child a view action; what the child says of it is asserted with ``receiveOutput(_:sourceLocation:_:)``.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: where it is, as a client says it: `detail`, `pages[1]`.
  ///   - sourceLocation: where the test is.
  public func send<C: Riblet>(
    _ action: C.ViewAction, to child: C.Type, at path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let id = session.tree.id(at: path) else {
      fail(
        "There is no child at \"\(path)\": the state attaches none. Its children are \(childPaths).", at: sourceLocation
      )
      return
    }
    let origin = Origin(text: "send(\(caseName(action)), to: \(C.self))", location: sourceLocation)
    perform(origin, nil) { session in try session.act(action, to: id, of: C.self) }
  }

  /// Uses the back button, and asserts what it changes.
  ///
  /// - Parameters:
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that is to be made, beginning with the state before; nil if there is to be none.
  public func back(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    perform(Origin(text: "back()", location: sourceLocation), change) { session in try session.back() }
  }

  private func perform(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ body: (TestSession) throws -> Void
  ) {
    begin(origin)
    log.firstPass = nil
    do {
      try body(session)
    } catch {
      fail(Failure.refused(error, origin.text), at: origin.location)
      return
    }
    check(change, before: state, after: log.firstPass ?? state, origin)
    state = log.firstPass ?? state
  }

  /// Makes sure that all that happened before was asserted.
  func begin(_ origin: Origin) {
    session.settle()
    if exhaustivity == .on {
      if !happenings.isEmpty {
        fail(Failure.notAsserted(origin.text, happenings.map(\.description)), at: origin.location)
      }
    } else {
      report(happenings, at: origin.location)
    }
    log.clear()
    state = current
    session.origin = origin
  }

  // MARK: What happens then

  /// Asserts that an internal action is received next, and what it changes.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that the reducer is to make, beginning with the state before; nil if it is to make none.
  public func receive(
    _ action: R.InternalAction, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) where R.InternalAction: Equatable {
    take(Origin(text: "receive(\(caseName(action)))", location: sourceLocation), change) { content in
      if case .internalAction(let actual) = content {
        actual == action ? .match : .other(diff(action, actual, format: .proportional))
      } else {
        .other(nil)
      }
    }
  }

  /// Asserts that an internal action of a kind is received next, and what it changes: for actions that cannot be compared.
  ///
  /// - Parameters:
  ///   - matches: whether it is the action.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that the reducer is to make, beginning with the state before; nil if it is to make none.
  public func receive(
    where matches: (R.InternalAction) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    take(Origin(text: "receive(where:)", location: sourceLocation), change) { content in
      if case .internalAction(let actual) = content, matches(actual) { .match } else { .other(nil) }
    }
  }

  /// Asserts that a child's output is received next, and what the parent changes because of it.
  ///
  /// - Parameters:
  ///   - output: the child's output.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that the parent is to make, beginning with the state before; nil if it is to make none.
  public func receiveOutput<Output: Equatable>(
    _ output: Output, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    take(Origin(text: "receiveOutput(\(caseName(output)))", location: sourceLocation), change) { content in
      guard case .childOutput(let actual) = content, let actual = actual as? Output else { return .other(nil) }
      return actual == output ? .match : .other(diff(output, actual, format: .proportional))
    }
  }

  /// Asserts that a child whose state is a part of the riblet's has changed it.
  ///
  /// - Parameters:
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that is to be made, beginning with the state before.
  public func receiveChange(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping (inout R.State) -> Void
  ) {
    take(Origin(text: "receiveChange", location: sourceLocation), change) { content in
      if case .change = content { .match } else { .other(nil) }
    }
  }

  /// Asserts that the riblet tells its parent something next.
  ///
  /// - Parameters:
  ///   - output: what it says.
  ///   - sourceLocation: where the test is.
  public func expectOutput(
    _ output: R.Output, sourceLocation: SourceLocation = #_sourceLocation
  ) where R.Output: Equatable {
    take(Origin(text: "expectOutput(\(caseName(output)))", location: sourceLocation), nil) { content in
      guard case .output(let actual) = content else { return .other(nil) }
      return actual == output ? .match : .other(diff(output, actual, format: .proportional))
    }
  }

  private enum Comparison {
    case match
    case other(String?)
  }

  private func take(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ compare: (Happening<R>.Content) -> Comparison
  ) {
    session.settle()
    session.origin = origin
    var skipped: [Happening<R>] = []
    var first: String?
    while !happenings.isEmpty {
      let next = happenings.removeFirst()
      switch compare(next.content) {
      case .match:
        report(skipped, at: origin.location)
        check(change, before: skipped.last?.state ?? state, after: next.state, origin)
        state = next.state
        return
      case .other(let difference):
        if exhaustivity == .on {
          // It stays, for the assertion that it is meant for.
          happenings.insert(next, at: 0)
          return fail(
            Failure.another(origin.text, next.description, difference: difference), at: origin.location)
        }
        first = first ?? next.description
        skipped.append(next)
      }
    }
    happenings = skipped
    fail(Failure.nothing(origin.text, flightTexts), at: origin.location)
  }

  // MARK: The view and the end

  /// Asserts what clients see of the riblet.
  ///
  /// - Parameters:
  ///   - expected: its view state.
  ///   - sourceLocation: where the test is.
  public func expectView(
    _ expected: R.ViewState, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let actual = riblet.view(current)
    guard actual != expected else { return }
    fail(
      Failure.difference("The view is another than the test expects.", expected: expected, actual: actual),
      at: sourceLocation
    )
  }

  /// Asserts that all was asserted and that no effect runs, as the end of the test does.
  ///
  /// - Parameter sourceLocation: where the test is.
  public func finish(
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    checkTheEnd(sourceLocation)
    skipWhatHappened()
    skipEffectsInFlight()
  }

  /// Passes over what has happened and was not asserted.
  public func skipWhatHappened() {
    session.settle()
    log.clear()
    state = current
  }

  /// Ends the effects that run.
  public func skipEffectsInFlight() {
    for flight in flights { session.endEffect(flight.effect.token) }
  }

  /// Waits for an effect that waits for something outside of the test.
  public func waitForEffects() async { await session.waitForEffects() }

  // MARK: Comparing states

  func check(_ change: ((inout R.State) -> Void)?, before: R.State, after: R.State, _ origin: Origin) {
    guard let change else {
      guard exhaustivity == .on, before != after else { return }
      return fail(Failure.unexpectedChange(origin.text, before: before, after: after), at: origin.location)
    }
    var expected = exhaustivity == .on ? before : after
    change(&expected)
    if expected != after {
      fail(Failure.wrongState(origin.text, expected: expected, actual: after), at: origin.location)
    } else if exhaustivity == .on, before == after {
      fail(Failure.noChange(origin.text), at: origin.location)
    }
  }

  private var childPaths: String {
    let paths = session.tree.childPaths
    return paths.isEmpty ? "none" : paths.joined(separator: ", ")
  }
}
