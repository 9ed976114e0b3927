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
  public var exhaustivity: Exhaustivity {
    get { log.exhaustivity }
    set { log.exhaustivity = newValue }
  }
  /// The tree: its view, patches and children.
  public let session: TestSession

  let riblet: R
  let clock: ManualClock?
  let log: RibletLog<R>
  private let origin: Origin

  /// A riblet that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:sourceLocation:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  ///   - activation: changes the state as `didBecomeActive` does, beginning with what `makeState` returns; nil if it is not
  ///     to be changed.
  public init(
    _ riblet: R, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) {
    let log = RibletLog<R>(riblet.makeState(), exhaustivity)
    let tree = Tree(testing: riblet) { log.happened(.output($0)) }
    self.riblet = riblet
    self.clock = clock
    self.log = log
    origin = Origin(text: "\(R.typeName)", location: sourceLocation)
    session = TestSession(tree, .running, Origin(text: "the activation of \(R.typeName)", location: sourceLocation))
    state = log.lastKnown
    log.tree = tree
    tree.witness = { log.reduced($0) }
    tree.onEnd = { log.transactionEnded(isCommitted: $0) }
    session.onEffectFailure = { flight, error in
      guard log.exhaustivity == .on else { return }
      Issue.record(Comment(rawValue: Failure.thrown(flight, error)), sourceLocation: flight.origin.location)
    }
    do {
      try session.start()
      check(activation, before: state, after: log.firstPass ?? state, session.origin)
      state = log.firstPass ?? state
    } catch {
      fail(Failure.refused(error, "to start \(R.typeName)"), at: sourceLocation)
    }
  }

  deinit { checkTheEnd(origin.location) }

  /// The state as it is.
  var current: R.State { log.current }
  /// What was not asserted yet, in order.
  var happenings: [Happening<R>] {
    get { log.happenings }
    set { log.keep(newValue) }
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

  /// What runs, of the riblet and of its children.
  var flightTexts: [String] { session.runner?.inFlight.map { Failure.describe($0, session.runner) } ?? [] }

  func checkTheEnd(_ location: SourceLocation) {
    session.settle()
    guard exhaustivity == .on else { return report(happenings, at: location) }
    if !happenings.isEmpty { fail(Failure.leftAtTheEnd(happenings.map(\.description)), at: location) }
    for flight in flights {
      fail(Failure.inFlightAtTheEnd(Failure.describe(flight, session.runner)), at: flight.origin.location)
    }
  }
}
