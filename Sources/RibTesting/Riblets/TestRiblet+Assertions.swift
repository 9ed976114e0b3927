import CustomDump
public import RibCore
public import Testing
import Wire

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
    perform(origin, change) { session in try session.act(action, to: session.tree.rootID, of: R.self, origin) }
  }

  /// Sends a view action that is to be refused, and asserts why: that `Effect.refuse` has undone everything.
  ///
  ///     test.send(.sendTapped, refused: "There is nothing to send.")
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - reason: what the reducer says.
  ///   - sourceLocation: where the test is.
  public func send(
    _ action: R.ViewAction, refused reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    expectRefusal(origin, reason) { session in try session.act(action, to: session.tree.rootID, of: R.self, origin) }
  }

  /// Sends a child a view action; what the child says of it is asserted with ``receive(_:sourceLocation:_:)``.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: where it is, as a client says it: `detail`, `pages[1]`.
  ///   - sourceLocation: where the test is.
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

  /// Sends a child a view action that is to be refused, by the child or by whoever hears of it, and asserts why.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: where it is, as a client says it: `detail`, `pages[1]`.
  ///   - reason: what the reducer says.
  ///   - sourceLocation: where the test is.
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

  /// Tells the riblet something else, as its parent does, and asserts what the reducer of the props changes.
  ///
  /// A riblet is not told again what it was told last.
  ///
  /// - Parameters:
  ///   - props: what it is told.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that the reducer is to make, beginning with the state before; nil if it is to make none.
  public func setProps(
    _ props: R.Props, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    let origin = Origin(text: "setProps(\(caseName(props)))", location: sourceLocation)
    perform(origin, change) { _ in try tell(props, origin) }
  }

  /// Tells the riblet something that it is to refuse, and asserts why: it goes on with what it was told before.
  ///
  /// - Parameters:
  ///   - props: what it is told.
  ///   - reason: what the reducer says.
  ///   - sourceLocation: where the test is.
  public func setProps(
    _ props: R.Props, refused reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "setProps(\(caseName(props)))", location: sourceLocation)
    expectRefusal(origin, reason) { _ in try tell(props, origin) }
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

  /// Does something, and asserts what its first pass over the state changes.
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

  /// Does something that a reducer is to refuse, which leaves everything as it was.
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
    // What follows from that is no failure of its own.
    skipWhatHappened(strict: false)
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

  /// Asserts that a reducer refuses next what comes of an effect: what it sends, or what is to follow its end.
  ///
  /// That is undone, and on a server only the log is told.
  ///
  /// - Parameters:
  ///   - reason: what the reducer says.
  ///   - sourceLocation: where the test is.
  public func receive(refused reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    take(Origin(text: "receive(refused: \(String(reflecting: reason)))", location: sourceLocation), nil) { content in
      guard case .refusal(_, let actual) = content else { return .other(nil) }
      return actual == reason ? .match : .other(diff(reason, actual, format: .proportional))
    }
  }

  /// Asserts that something else than the riblet itself has changed its state: a child whose state is a part of it, or what
  /// the test has done through the ``session``.
  ///
  /// - Parameters:
  ///   - path: where the child is: `lamp`, `rows[1]`; nil if it is not to matter who it was.
  ///   - sourceLocation: where the test is.
  ///   - change: makes the change that is to be made, beginning with the state before.
  public func receiveChange(
    at path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping (inout R.State) -> Void
  ) {
    let text = path.map { "receiveChange(at: \"\($0)\")" } ?? "receiveChange"
    // An index may be left out for the first child.
    let whole = path.map { path in
      path.split(separator: "/").map { $0.hasSuffix("]") ? "\($0)" : "\($0)[0]" }.joined(separator: "/")
    }
    takeHappening(Origin(text: text, location: sourceLocation), change) { happening in
      guard case .change = happening.content, whole == nil || happening.path == whole else { return .other(nil) }
      return .match
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

  /// Asserts that the riblet tells its parent something of a kind next: for outputs that cannot be compared.
  ///
  /// - Parameters:
  ///   - matches: whether it is the output.
  ///   - sourceLocation: where the test is.
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
          // It stays, for the assertion that it is meant for.
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

  /// Asserts what clients see of the riblet.
  ///
  /// - Parameters:
  ///   - expected: its view state.
  ///   - sourceLocation: where the test is.
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

  /// Asserts that all was asserted and that no effect runs, as the end of the test does.
  ///
  /// - Parameter sourceLocation: where the test is.
  public func finish(
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    checkTheEnd(sourceLocation)
    skipWhatHappened(strict: false)
    skipEffectsInFlight(strict: false)
  }

  /// Passes over what has happened and was not asserted.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if there is nothing to pass over.
  ///   - sourceLocation: where the test is.
  public func skipWhatHappened(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    if strict, happenings.isEmpty { fail(Failure.nothingToSkip, at: sourceLocation) }
    log.clear()
    state = current
  }

  /// Ends the effects that run, of the riblet itself and of children whose states are parts of its.
  ///
  /// - Parameters:
  ///   - strict: whether it is a failure if there are none.
  ///   - sourceLocation: where the test is.
  public func skipEffectsInFlight(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
    session.settle()
    let flights = flights
    if strict, flights.isEmpty { fail(Failure.noEffectToSkip, at: sourceLocation) }
    for flight in flights { session.endEffect(flight.effect.token) }
  }

  /// Waits until there is something to assert, from an effect that waits for something outside of the test.
  ///
  /// What a child's effect sends its child is waited for with ``TestSession/waitForEffects(evenAsleep:atMost:sourceLocation:)``.
  ///
  /// - Parameters:
  ///   - evenAsleep: whether to wait for an effect that sleeps on the test's clock, too, for it waits for something else
  ///     besides.
  ///   - limit: how long in real time; a failure names the effects that were waited for.
  ///   - sourceLocation: where the test is.
  public func waitForEffects(
    evenAsleep: Bool = false, atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await session.wait(evenAsleep, limit, sourceLocation) { [log] in !log.happenings.isEmpty }
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

  /// What the test says has to be true of the state as it is; the rest is reported, if that is wanted.
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
