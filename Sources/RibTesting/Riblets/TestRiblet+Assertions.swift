import CustomDump
public import RibCore
public import Testing
import Wire

extension TestRiblet {
  // MARK: Acting

  /// Sends a view action, and asserts what its reducer changes.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
  public func send(
    _ action: R.ViewAction, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    perform(origin, change) { session in try session.act(action, to: session.tree.rootID, of: R.self, origin) }
  }

  /// Sends a view action that is to be refused, and asserts the reason and that everything is as it was before.
  ///
  ///     test.send(.sendTapped, refused: "There is nothing to send.")
  public func send(
    _ action: R.ViewAction, refused reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    expectRefusal(origin, reason) { session in try session.act(action, to: session.tree.rootID, of: R.self, origin) }
  }

  /// Sends a view action to a child; what the child's outputs become is asserted with ``receive(_:sourceLocation:_:)``.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: the child's place in the form of an address: `detail`, `pages[1]`.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func send<C: Riblet>(
    _ action: C.ViewAction, to child: C.Type, at path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let id = findChild(at: path, sourceLocation) else { return }
    let origin = Origin(text: "send(\(caseName(action)), to: \(C.self))", location: sourceLocation)
    begin(origin)
    do {
      try session.act(action, to: id, of: C.self, origin)
    } catch {
      fail(Failure.refused(error, origin.text), at: sourceLocation)
    }
  }

  /// Sends a child a view action that is to be refused, by the child or by an ancestor that handles its outputs, and
  /// asserts the reason.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: the child's place in the form of an address: `detail`, `pages[1]`.
  ///   - reason: the exact text of the refusal.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func send<C: Riblet>(
    _ action: C.ViewAction, to child: C.Type, at path: String, refused reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let id = findChild(at: path, sourceLocation) else { return }
    let origin = Origin(text: "send(\(caseName(action)), to: \(C.self))", location: sourceLocation)
    expectRefusal(origin, reason) { session in try session.act(action, to: id, of: C.self, origin) }
  }

  private func findChild(at path: String, _ location: SourceLocation) -> NodeID? {
    session.settle()
    if let id = session.tree.id(at: path) { return id }
    fail("There is no child at \"\(path)\": the state attaches none. Its children are \(childPaths).", at: location)
    return nil
  }

  /// Tells the riblet new props, as its parent does, and asserts what the reducer of the props changes.
  ///
  /// Props that equal the last ones are not told: the reducer is not called.
  ///
  /// - Parameters:
  ///   - props: the new props.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the props. Nil if the state is to stay the same.
  public func setProps(
    _ props: R.Props, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    let origin = Origin(text: "setProps(\(caseName(props)))", location: sourceLocation)
    perform(origin, change) { _ in try tell(props, origin) }
  }

  /// Tells the riblet props that it is to refuse, and asserts the reason; the last props stay in force.
  public func setProps(
    _ props: R.Props, refused reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "setProps(\(caseName(props)))", location: sourceLocation)
    expectRefusal(origin, reason) { _ in try tell(props, origin) }
  }

  /// Uses the back button, and asserts what that changes.
  ///
  /// - Parameters:
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before. Nil if the state is to stay the same.
  public func back(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    perform(Origin(text: "back()", location: sourceLocation), change) { session in
      try session.back(sourceLocation: sourceLocation)
    }
  }

  private func perform(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ body: (TestSession) throws -> Void
  ) {
    begin(origin)
    expect(origin, origin.text, change, body)
  }

  /// Runs `body`, and asserts what the first reducer that it runs changes.
  func expect(
    _ origin: Origin, _ what: String, _ change: ((inout R.State) -> Void)?, _ body: (TestSession) throws -> Void
  ) {
    log.firstPass = nil
    log.isExpecting = true
    defer { log.isExpecting = false }
    do {
      try body(session)
    } catch {
      fail(Failure.refused(error, what), at: origin.location)
      return
    }
    check(change, before: state, after: log.firstPass ?? state, origin)
    state = log.firstPass ?? state
  }

  /// Runs `body`, and asserts that a reducer refuses it for a reason, and that everything is as it was before.
  private func expectRefusal(_ origin: Origin, _ reason: String, _ body: (TestSession) throws -> Void) {
    begin(origin)
    do {
      try body(session)
    } catch let refusal as Refusal where refusal.code == .refused && refusal.message == reason {
      session.checkExactness()
      return check(nil, before: state, after: current, origin)
    } catch {
      return fail(Failure.refusedOtherwise(origin.text, reason, error), at: origin.location)
    }
    fail(Failure.notRefused(origin.text, reason, before: state, after: current), at: origin.location)
    // A missing refusal is the failure; what happened instead is not reported again.
    skipWhatHappened(strict: false)
  }

  /// Begins a call of the test: everything that happened before has to be asserted by now.
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

  /// Asserts that the next thing to happen is an internal action, and what its reducer changes.
  ///
  /// - Parameters:
  ///   - action: the expected action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
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

  /// Asserts that the next thing to happen is an internal action that matches, and what its reducer changes: for
  /// actions that are not `Equatable`.
  ///
  /// - Parameters:
  ///   - matches: returns true for an expected action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
  public func receive(
    where matches: (R.InternalAction) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    take(Origin(text: "receive(where:)", location: sourceLocation), change) { content in
      if case .internalAction(let actual) = content, matches(actual) { .match } else { .other(nil) }
    }
  }

  /// Asserts that the next thing to happen is a refusal of what an effect has sent, or of what was to follow the
  /// effect's end.
  ///
  /// What is refused is rolled back; on a server, only the log has the reason.
  public func receive(refused reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    take(Origin(text: "receive(refused: \(String(reflecting: reason)))", location: sourceLocation), nil) { content in
      guard case .refusal(_, let actual) = content else { return .other(nil) }
      return actual == reason ? .match : .other(diff(reason, actual, format: .proportional))
    }
  }

  /// Asserts that the state was changed next by something other than the riblet's actions: by an embedded child, or by
  /// what the test has done through the ``session``.
  ///
  /// - Parameters:
  ///   - path: the child's place: `lamp`, `rows[1]`; nil if it does not matter what has changed the state.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before.
  public func receiveChange(
    at path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping (inout R.State) -> Void
  ) {
    let text = path.map { "receiveChange(at: \"\($0)\")" } ?? "receiveChange"
    // In a path the index of the first child may be left out.
    let whole = path.map { path in
      path.split(separator: "/").map { $0.hasSuffix("]") ? "\($0)" : "\($0)[0]" }.joined(separator: "/")
    }
    takeHappening(Origin(text: text, location: sourceLocation), change) { happening in
      guard case .change = happening.content, whole == nil || happening.path == whole else { return .other(nil) }
      return .match
    }
  }

  /// Asserts that the next thing to happen is an output to the parent.
  public func expectOutput(
    _ output: R.Output, sourceLocation: SourceLocation = #_sourceLocation
  ) where R.Output: Equatable {
    take(Origin(text: "expectOutput(\(caseName(output)))", location: sourceLocation), nil) { content in
      guard case .output(let actual) = content else { return .other(nil) }
      return actual == output ? .match : .other(diff(output, actual, format: .proportional))
    }
  }

  /// Asserts that the next thing to happen is an output that matches: for outputs that are not `Equatable`.
  public func expectOutput(where matches: (R.Output) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    take(Origin(text: "expectOutput(where:)", location: sourceLocation), nil) { content in
      if case .output(let actual) = content, matches(actual) { .match } else { .other(nil) }
    }
  }

  private enum Comparison {
    case match
    case other(String?)
  }

  private func take(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ compare: (Happening<R>.Content) -> Comparison
  ) {
    takeHappening(origin, change) { compare($0.content) }
  }

  private func takeHappening(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ compare: (Happening<R>) -> Comparison
  ) {
    session.settle()
    session.origin = origin
    var skipped: [Happening<R>] = []
    var firstDifference: String?
    while !happenings.isEmpty {
      let next = happenings.removeFirst()
      switch compare(next) {
      case .match:
        report(skipped, at: origin.location)
        check(change, before: skipped.last?.state ?? state, after: next.state, origin)
        state = next.state
        return
      case .other(let difference):
        if exhaustivity == .on {
          // Put back, for the assertion that is meant for it.
          happenings.insert(next, at: 0)
          return fail(
            Failure.another(origin.text, next.description, difference: difference), at: origin.location)
        }
        firstDifference = firstDifference ?? difference
        skipped.append(next)
      }
    }
    happenings = skipped
    if !skipped.isEmpty {
      let text = Failure.others(origin.text, skipped.map(\.description), difference: firstDifference)
      return fail(text, at: origin.location)
    }
    fail(Failure.nothing(origin.text, flightTexts), at: origin.location)
  }

  // MARK: The view and the end

  /// Asserts the view state that clients have of the riblet.
  public func expectView(
    _ expected: R.ViewState, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    session.settle()
    let actual = riblet.view(current)
    guard actual != expected else { return }
    fail(
      Failure.difference("The view is another than the test expects.", expected: expected, actual: actual),
      at: sourceLocation
    )
  }

  /// Asserts that everything was asserted and no effect runs, as the end of the test does.
  public func finish(
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    checkTheEnd(sourceLocation)
    skipWhatHappened(strict: false)
    skipEffectsInFlight(strict: false)
  }

  /// Passes over everything that has happened and was not asserted.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if there is nothing to pass over.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func skipWhatHappened(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    if strict, happenings.isEmpty { fail(Failure.nothingToSkip, at: sourceLocation) }
    log.clear()
    state = current
  }

  /// Ends the running effects of the riblet and of its embedded children.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if no effect runs.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func skipEffectsInFlight(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    let flights = flights
    if strict, flights.isEmpty { fail(Failure.noEffectToSkip, at: sourceLocation) }
    for flight in flights { session.endEffect(flight.effect.token) }
  }

  /// Waits until there is something to assert, from an effect that waits for something outside of the test.
  ///
  /// For what a child's effect sends to the child, use
  /// ``TestSession/waitForEffects(evenAsleep:atMost:sourceLocation:)``.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait also for effects that sleep on the test's clock, as they may wait for something
  ///     else as well.
  ///   - limit: how long to wait, in real time; the failure names the effects that were waited for.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func waitForEffects(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await session.wait(evenAsleep, limit, sourceLocation) { [log] in !log.happenings.isEmpty }
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
    await session.waitForEffectsToEnd(evenAsleep: evenAsleep, atMost: limit, sourceLocation: sourceLocation)
  }

  // MARK: Comparing states

  func check(_ change: ((inout R.State) -> Void)?, before: R.State, after: R.State, _ origin: Origin) {
    guard exhaustivity == .on else { return checkWhatIsSaid(change, before: before, after: after, origin) }
    var expected = before
    change?(&expected)
    if change == nil, !log.areEqual(before, after) {
      fail(Failure.unexpectedChange(origin.text, before: before, after: after), at: origin.location)
    } else if !log.areEqual(expected, after) {
      fail(Failure.wrongState(origin.text, expected: expected, actual: after), at: origin.location)
    } else if change != nil, log.areEqual(before, after) {
      fail(Failure.noChange(origin.text), at: origin.location)
    }
  }

  /// Asserts that the expected change leaves the state as it is; other changes are reported if that is wanted.
  private func checkWhatIsSaid(
    _ change: ((inout R.State) -> Void)?, before: R.State, after: R.State, _ origin: Origin
  ) {
    var expected = after
    change?(&expected)
    guard log.areEqual(expected, after) else {
      return fail(Failure.wrongState(origin.text, expected: expected, actual: after), at: origin.location)
    }
    guard exhaustivity == .off(reporting: true) else { return }
    var asserted = before
    change?(&asserted)
    if !log.areEqual(asserted, after) {
      report(Failure.skippedChange(origin.text, asserted: asserted, actual: after), at: origin.location)
    }
  }

  private var childPaths: String {
    let children = session.tree.children(of: session.tree.rootID)
    return children.isEmpty ? "none" : children.map(\.place).joined(separator: ", ")
  }
}
