public import RibCore
public import Testing

/// Drives one riblet in a test that asserts all that it does.
///
/// What is sent is followed by what it changes; what happens because of it — internal actions, among them what children
/// say, and outputs — is asserted in the order in which it happens. What was not asserted is a failure, at the latest when
/// the test ends, and so is an effect that still runs:
///
///     let clock = ManualClock()
///     let test = TestRiblet(Search(clock: clock, find: { _ in ["a"] }))
///     test.send(.submit("x")) { $0.status = .loading }
///     clock.advance(by: .seconds(1))
///     test.receive(.found(["a"])) { $0.status = .loaded(["a"]) }
///
/// Nothing in it waits: effects run on the test's own thread, as far as they get, and time is the ``ManualClock``'s. Children
/// are real, and so is everything else: the riblet is the root of a tree.
public final class TestRiblet<R: Riblet> {
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
  /// What stands for the parent's state; nil if the riblet has no props.
  private let told: Told<R.Props>?

  /// A riblet that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - state: the state in which it becomes active; nil for what `makeState` returns.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:sourceLocation:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  ///   - activation: changes the state as `didBecomeActive` does, beginning with the one in which it becomes active; nil if it
  ///     is not to be changed.
  public convenience init(
    _ riblet: R, given state: R.State? = nil, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) where R.State: Equatable, R.Props == Never {
    self.init(riblet, state, nil, clock, exhaustivity, sourceLocation, activation, areEqual: ==)
  }

  /// A riblet that its parent tells something, and that is attached and active.
  ///
  ///     let test = TestRiblet(Row(), props: .init(isSelected: true)) { $0.isSelected = true }
  ///     test.setProps(.init(isSelected: false)) { $0.isSelected = false }
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - props: what it is told, until ``setProps(_:sourceLocation:_:)`` tells it something else.
  ///   - state: the state in which it is told that and becomes active; nil for what `makeState` returns.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:sourceLocation:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  ///   - activation: changes the state as the reducer of the props and then `didBecomeActive` do; nil if it is not to be
  ///     changed.
  public convenience init(
    _ riblet: R, props: R.Props, given state: R.State? = nil, clock: ManualClock? = nil,
    exhaustivity: Exhaustivity = .on, sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) where R.State: Equatable {
    self.init(riblet, state, props, clock, exhaustivity, sourceLocation, activation, areEqual: ==)
  }

  /// A riblet that remembers nothing, and is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:sourceLocation:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  public convenience init(
    _ riblet: R, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation
  ) where R.State == Void, R.Props == Never {
    self.init(riblet, (), nil, clock, exhaustivity, sourceLocation, nil) { _, _ in true }
  }

  /// A riblet that its parent tells something, that remembers nothing, and that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - props: what it is told, until ``setProps(_:sourceLocation:_:)`` tells it something else.
  ///   - clock: the clock that it was given, if ``collect(_:performing:includeFirst:timeout:sourceLocation:)`` is to advance it.
  ///   - exhaustivity: whether everything that happens has to be asserted.
  ///   - sourceLocation: where the test is.
  public convenience init(
    _ riblet: R, props: R.Props, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation
  ) where R.State == Void {
    self.init(riblet, (), props, clock, exhaustivity, sourceLocation, nil) { _, _ in true }
  }

  private init(
    _ riblet: R, _ given: R.State?, _ props: R.Props?, _ clock: ManualClock?, _ exhaustivity: Exhaustivity,
    _ sourceLocation: SourceLocation, _ activation: ((inout R.State) -> Void)?,
    areEqual: @escaping (R.State, R.State) -> Bool
  ) {
    let initial = given ?? riblet.makeState()
    let log = RibletLog<R>(initial, exhaustivity, areEqual)
    let told = props.map { Told($0) }
    let present: (() -> R.Props?)? = told.map { told in { told.props } }
    let tree = Tree(testing: riblet, given: initial, props: present) { log.happened(.output($0)) }
    self.riblet = riblet
    self.told = told
    self.clock = clock
    self.log = log
    origin = Origin(text: "\(R.typeName)", location: sourceLocation)
    session = TestSession(tree, .running, Origin(text: "the activation of \(R.typeName)", location: sourceLocation))
    state = log.lastKnown
    log.tree = tree
    tree.witness = { log.reduced($0) }
    let onEnd = tree.onEnd
    tree.onEnd = { isCommitted in
      onEnd?(isCommitted)
      log.transactionEnded(isCommitted: isCommitted)
    }
    session.onEffectRefusal = { flight, refusal in
      log.refused("\(flight.name) of \(flight.effect.typeName)", refusal.message)
    }
    session.onEffectFailure = { flight, error in
      guard log.exhaustivity == .on else { return }
      Issue.record(Comment(rawValue: Failure.thrown(flight, error)), sourceLocation: flight.origin.location)
    }
    expect(session.origin, "to start \(R.typeName)", activation) { session in try session.start() }
  }

  deinit { checkTheEnd(origin.location) }

  /// Tells the riblet something else; what it was told before holds again if it refuses that.
  func tell(_ props: R.Props, _ origin: Origin) throws {
    guard let told else { preconditionFailure("\(R.typeName) has props, and was made without any") }
    let before = told.props
    told.props = props
    do {
      try session.updateProps(origin)
    } catch let refusal as Refusal {
      told.props = before
      throw refusal
    }
  }

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
    if !skipped.isEmpty { report(Failure.skipped(skipped.map(\.description)), at: location) }
  }

  func report(_ text: String, at location: SourceLocation) {
    guard exhaustivity == .off(reporting: true) else { return }
    Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: location)
  }

  /// Effects that run, of the riblet itself and of children whose states are parts of its.
  var flights: [EffectFlight] {
    let tree = session.tree
    return session.runner?.inFlight.filter { flight in
      tree.node(of: flight.effect.token).map { tree.isPart($0, of: tree.rootID) } ?? false
    } ?? []
  }

  /// What runs, of the riblet and of its children.
  var flightTexts: [String] { session.runner?.inFlight.map { Failure.describe($0, session.runner) } ?? [] }

  func checkTheEnd(_ location: SourceLocation) {
    session.settle()
    let effects = flights.map { ($0.origin.location, Failure.describe($0, session.runner)) }
    guard exhaustivity == .on else {
      report(happenings, at: location)
      for (location, effect) in effects { report(Failure.skipped([effect]), at: location) }
      return
    }
    if !happenings.isEmpty { fail(Failure.leftAtTheEnd(happenings.map(\.description)), at: location) }
    for (location, effect) in effects { fail(Failure.inFlightAtTheEnd(effect), at: location) }
  }
}

/// The props as a parent has them.
private final class Told<Props> {
  var props: Props

  init(_ props: Props) { self.props = props }
}
