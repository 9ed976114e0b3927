public import RibCore
public import Testing

/// Drives one riblet in a test that asserts all that it does.
///
/// What is sent is followed by what it changes; what happens because of it — internal actions, outputs, what children say — is
/// asserted in the order in which it happens. What was not asserted is a failure, at the latest when the test ends, and so
/// is an effect that still runs:
///
///     let clock = ManualClock()
///     let test = TestRiblet(Search(clock: clock, find: { _ in ["a"] }))
///     test.send(.submit("x")) { $0.status = .loading }
///     clock.advance(by: .seconds(1))
///     test.receive(.found(["a"])) { $0.status = .loaded(["a"]) }
///
/// Nothing in it waits: effects run on the test's own thread, as far as they get, and time is the ``ManualClock``'s. Children
/// are real, and so is everything else: the riblet is the root of a tree.
public final class TestRiblet<R: Riblet> where R.State: Equatable {
  /// The state as far as it was asserted.
  public internal(set) var state: R.State
  /// Whether everything that happens has to be asserted.
  public var exhaustivity: Exhaustivity
  /// The tree: its view, patches and children.
  public let session: TestSession

  let riblet: R
  let clock: ManualClock?
  /// What was not asserted yet, in order.
  var happenings: [Happening<R>] = []
  /// The state after the reducer's first pass over what the test has sent.
  var firstPass: R.State?
  /// The states after each pass of a reducer, for ``collect(_:performing:includeFirst:timeout:)``.
  var passes: [R.State] = []
  private var lastKnown: R.State
  private let origin: Origin

  /// A riblet that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  ///   - activation: changes the state as `didBecomeActive` does, beginning with what `makeState` returns; nil if it is not
  ///     to be changed.
  public init(
    _ riblet: R, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) {
    let outputs = OutputBox<R.Output>()
    let tree = Tree(testing: riblet) { outputs.handler?($0) }
    self.riblet = riblet
    self.clock = clock
    self.exhaustivity = exhaustivity
    origin = Origin(text: "\(R.typeName)", location: sourceLocation)
    session = TestSession(tree, .running, Origin(text: "the activation of \(R.typeName)", location: sourceLocation))
    state = riblet.makeState()
    lastKnown = state
    outputs.handler = { [unowned self] in happened(.output($0)) }
    tree.witness = { [unowned self] in reduced($0) }
    session.onEffectFailure = { [unowned self] flight, error in
      if self.exhaustivity == .on { fail(Failure.thrown(flight, error), at: flight.origin.location) }
    }
    do {
      try session.start()
      check(activation, before: state, after: firstPass ?? state, session.origin)
      state = firstPass ?? state
    } catch {
      fail(Failure.refused(error, "to start \(R.typeName)"), at: sourceLocation)
    }
  }

  deinit { checkTheEnd(origin.location) }

  // MARK: What happens

  /// The state as it is.
  var current: R.State { session.tree.state(of: session.tree.rootID, R.self) ?? lastKnown }

  private func happened(_ content: Happening<R>.Content) {
    happenings.append(Happening(content: content, state: current))
  }

  private func reduced(_ reduction: Reduction) {
    let isOwn = reduction.node == session.tree.rootID || session.tree.rootID == 0
    let now = current
    defer { lastKnown = now }
    guard isOwn else {
      guard now != lastKnown else { return }
      passes.append(now)
      happened(.change("\(reduction.typeName), whose state is a part of it"))
      return
    }
    passes.append(now)
    switch reduction.cause {
    case .viewAction: firstPass = now
    case .internalAction(let action):
      guard let action = action as? R.InternalAction else { return }
      happened(.internalAction(action))
    case .childOutput(let output): happened(.childOutput(output))
    case .activation where firstPass == nil: firstPass = now
    case .activation, .restoration: if now != lastKnown { happened(.change("didBecomeActive")) }
    case .resignation: if now != lastKnown { happened(.change("willResignActive")) }
    case .dismissal, .walk: firstPass = now
    }
  }

  // MARK: Failures

  func fail(_ text: String, at location: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: location)
  }

  /// Says what is passed over, if that is wanted.
  func report(_ skipped: [Happening<R>], at location: SourceLocation) {
    guard exhaustivity == .off(reporting: true), !skipped.isEmpty else { return }
    Issue.record(
      Comment(rawValue: Failure.skipped(skipped.map(\.description))), severity: .warning, sourceLocation: location
    )
  }

  /// Effects of the riblet itself that run.
  var flights: [EffectFlight] {
    session.runner?.inFlight.filter { session.tree.node(of: $0.effect.token) == session.tree.rootID } ?? []
  }

  var flightTexts: [String] { flights.map { Failure.describe($0, session.runner) } }

  func checkTheEnd(_ location: SourceLocation) {
    session.settle()
    guard exhaustivity == .on else { return report(happenings, at: location) }
    if !happenings.isEmpty { fail(Failure.leftAtTheEnd(happenings.map(\.description)), at: location) }
    if !flights.isEmpty { fail(Failure.inFlightAtTheEnd(flightTexts), at: flights[0].origin.location) }
  }
}

/// Where a tree's outputs go, which is known only after it was made.
private final class OutputBox<Output> {
  var handler: ((Output) -> Void)?
}
