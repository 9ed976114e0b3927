public import RibCore
public import Testing
import Wire

/// Actions, props and steps back, each with the change that the test expects of it.
extension TestRiblet {
  /// Sends a view action, and asserts what its reducer changes.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - client: the client that acts; the first client, without a person, unless given.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
  public func send(
    _ action: R.ViewAction, as client: ActingClient = ActingClient(),
    sourceLocation: SourceLocation = #_sourceLocation, _ change: ((inout R.State) -> Void)? = nil
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    perform(origin, change) { session in
      try session.act(action, to: session.tree.rootID, of: R.self, as: client, origin)
    }
  }

  /// Sends a view action that is to be refused, and asserts the reason and that everything is as it was before.
  ///
  ///     test.send(.sendTapped, refused: "There is nothing to send.")
  public func send(
    _ action: R.ViewAction, as client: ActingClient = ActingClient(), refused reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "send(\(caseName(action)))", location: sourceLocation)
    expectRefusal(origin, Refusal(.refused, reason)) { session in
      try session.act(action, to: session.tree.rootID, of: R.self, as: client, origin)
    }
  }

  /// Sends a view action that `authorize(_:by:in:)` is not to allow, and asserts that everything is as it was before.
  ///
  ///     test.sendForbidden(.eraseTapped, as: ActingClient(roles: ["reader"]))
  public func sendForbidden(
    _ action: R.ViewAction, as client: ActingClient = ActingClient(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let origin = Origin(text: "sendForbidden(\(caseName(action)))", location: sourceLocation)
    expectRefusal(origin, .notAuthorized) { session in
      try session.act(action, to: session.tree.rootID, of: R.self, as: client, origin)
    }
  }

  /// Sends a view action to a child; what the child's outputs become is asserted with ``receive(_:sourceLocation:_:)``.
  ///
  /// - Parameters:
  ///   - action: the child's action.
  ///   - child: the child's type.
  ///   - path: the child's place in the form of an address: `detail`, `pages[1]`.
  ///   - client: the client that acts; the first client, without a person, unless given.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func send<C: Riblet>(
    _ action: C.ViewAction, to child: C.Type, at path: String, as client: ActingClient = ActingClient(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let id = findChild(at: path, sourceLocation) else { return }
    let origin = Origin(text: "send(\(caseName(action)), to: \(C.self))", location: sourceLocation)
    begin(origin)
    do {
      try session.act(action, to: id, of: C.self, as: client, origin)
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
  ///   - client: the client that acts; the first client, without a person, unless given.
  ///   - reason: the exact text of the refusal.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func send<C: Riblet>(
    _ action: C.ViewAction, to child: C.Type, at path: String, as client: ActingClient = ActingClient(),
    refused reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let id = findChild(at: path, sourceLocation) else { return }
    let origin = Origin(text: "send(\(caseName(action)), to: \(C.self))", location: sourceLocation)
    expectRefusal(origin, Refusal(.refused, reason)) { session in
      try session.act(action, to: id, of: C.self, as: client, origin)
    }
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
    expectRefusal(origin, Refusal(.refused, reason)) { _ in try tell(props, origin) }
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
  private func expectRefusal(_ origin: Origin, _ expected: Refusal, _ body: (TestSession) throws -> Void) {
    begin(origin)
    do {
      try body(session)
    } catch let refusal as Refusal where refusal == expected {
      session.checkExactness()
      return check(nil, before: state, after: current, origin)
    } catch {
      return fail(Failure.refusedOtherwise(origin.text, expected.message, error), at: origin.location)
    }
    fail(Failure.notRefused(origin.text, expected.message, before: state, after: current), at: origin.location)
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

  private var childPaths: String {
    let children = session.tree.children(of: session.tree.rootID)
    return children.isEmpty ? "none" : children.map(\.place).joined(separator: ", ")
  }
}
