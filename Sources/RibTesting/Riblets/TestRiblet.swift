public import RibCore
public import Testing

/// Drives one riblet in a test that asserts everything the riblet does.
///
/// Each call that sends something asserts what that changes. What happens because of it, such as internal actions (a
/// child's outputs among them) and outputs, is asserted in the order in which it happens. What was not asserted is a
/// failure, at the latest when the test ends, and so is an effect that still runs:
///
///     let clock = ManualClock()
///     let test = TestRiblet(Search(clock: clock, find: { _ in ["a"] }))
///     test.send(.submit("x")) { $0.status = .loading }
///     clock.advance(by: .seconds(1))
///     test.receive(.found(["a"])) { $0.status = .loaded(["a"]) }
///
/// Nothing here waits: effects run on the test's own thread as far as they can, and only the ``ManualClock`` lets time
/// pass. Children are real, and so is everything else: the riblet is the root of a tree.
public final class TestRiblet<R: Riblet> {
  /// The state as far as the test has asserted it.
  public internal(set) var state: R.State
  /// How much of what happens has to be asserted.
  public var exhaustivity: Exhaustivity {
    get { log.exhaustivity }
    set { log.exhaustivity = newValue }
  }
  /// The riblet's tree: for its view, its patches and its children.
  public let session: TestSession

  let riblet: R
  let clock: ManualClock?
  let log: RibletLog<R>
  private let origin: Origin
  /// The props as a parent would have them; nil if the riblet has none.
  private let told: Told<R.Props>?

  /// A riblet that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - state: the state before it becomes active; nil for what `makeState` returns.
  ///   - clock: the clock that the riblet was given; needed only by
  ///     ``collect(_:performing:includeFirst:timeout:sourceLocation:)``, which advances it.
  ///   - exhaustivity: how much of what happens has to be asserted.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - activation: makes the change that `didBecomeActive` is expected to make; nil for none.
  public convenience init(
    _ riblet: R, given state: R.State? = nil, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) where R.State: Equatable, R.Props == Never {
    self.init(riblet, state, nil, clock, exhaustivity, sourceLocation, activation, areEqual: ==)
  }

  /// A riblet with props that is attached and active.
  ///
  ///     let test = TestRiblet(Row(), props: .init(isSelected: true)) { $0.isSelected = true }
  ///     test.setProps(.init(isSelected: false)) { $0.isSelected = false }
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - props: its props until ``setProps(_:sourceLocation:_:)`` replaces them.
  ///   - state: the state before it is told the props and becomes active; nil for what `makeState` returns.
  ///   - clock: the clock that the riblet was given; needed only by
  ///     ``collect(_:performing:includeFirst:timeout:sourceLocation:)``, which advances it.
  ///   - exhaustivity: how much of what happens has to be asserted.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - activation: makes the change that the reducer of the props and `didBecomeActive` together are expected to
  ///     make; nil for none.
  public convenience init(
    _ riblet: R, props: R.Props, given state: R.State? = nil, clock: ManualClock? = nil,
    exhaustivity: Exhaustivity = .on, sourceLocation: SourceLocation = #_sourceLocation,
    activation: ((inout R.State) -> Void)? = nil
  ) where R.State: Equatable {
    self.init(riblet, state, props, clock, exhaustivity, sourceLocation, activation, areEqual: ==)
  }

  /// A riblet without a state that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - clock: the clock that the riblet was given; needed only by
  ///     ``collect(_:performing:includeFirst:timeout:sourceLocation:)``, which advances it.
  ///   - exhaustivity: how much of what happens has to be asserted.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public convenience init(
    _ riblet: R, clock: ManualClock? = nil, exhaustivity: Exhaustivity = .on,
    sourceLocation: SourceLocation = #_sourceLocation
  ) where R.State == Void, R.Props == Never {
    self.init(riblet, (), nil, clock, exhaustivity, sourceLocation, nil) { _, _ in true }
  }

  /// A riblet with props and without a state that is attached and active.
  ///
  /// - Parameters:
  ///   - riblet: the riblet.
  ///   - props: its props until ``setProps(_:sourceLocation:_:)`` replaces them.
  ///   - clock: the clock that the riblet was given; needed only by
  ///     ``collect(_:performing:includeFirst:timeout:sourceLocation:)``, which advances it.
  ///   - exhaustivity: how much of what happens has to be asserted.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
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

  /// Tells the riblet new props; if the riblet refuses them, the last ones stay in force.
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

  /// The riblet's present state.
  var current: R.State { log.current }
  /// What the test has not asserted yet, in order.
  var happenings: [Happening<R>] {
    get { log.happenings }
    set { log.keep(newValue) }
  }

  // MARK: Failures

  func fail(_ text: String, at location: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: location)
  }

  /// Reports what is passed over as a warning, if exhaustivity says so.
  func report(_ skipped: [Happening<R>], at location: SourceLocation) {
    if !skipped.isEmpty { report(Failure.skipped(skipped.map(\.description)), at: location) }
  }

  func report(_ text: String, at location: SourceLocation) {
    guard exhaustivity == .off(reporting: true) else { return }
    Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: location)
  }

  /// The running effects of the riblet and of its embedded children.
  var flights: [EffectFlight] {
    let tree = session.tree
    return session.runner?.inFlight.filter { flight in
      tree.node(of: flight.effect.token).map { tree.isPart($0, of: tree.rootID) } ?? false
    } ?? []
  }

  /// Describes all running effects of the tree, for a failure's text.
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

/// The props as a parent would have them.
private final class Told<Props> {
  var props: Props

  init(_ props: Props) { self.props = props }
}
