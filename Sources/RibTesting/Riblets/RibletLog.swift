import RibCore

/// What a riblet did, as its test has to assert it: apart from the test, which may end while something still happens.
final class RibletLog<R: Riblet> {
  var exhaustivity: Exhaustivity
  /// What was not asserted yet, in order.
  private(set) var happenings: [Happening<R>] = []
  /// Whether the test asserts what follows, until ``firstPass`` is known.
  var isExpecting = false
  /// The state after the first pass over what the test has sent.
  var firstPass: R.State?
  /// The states after each pass of a reducer.
  private(set) var passes: [R.State] = []
  private(set) var lastKnown: R.State
  /// Owns the closures that hold this.
  weak var tree: Tree?
  /// As of the last transaction's end.
  private var committed: (happenings: Int, passes: Int, lastKnown: R.State)
  /// Whether two states are equal.
  let areEqual: (R.State, R.State) -> Bool

  init(_ state: R.State, _ exhaustivity: Exhaustivity, _ areEqual: @escaping (R.State, R.State) -> Bool) {
    self.areEqual = areEqual
    lastKnown = state
    committed = (0, 0, state)
    self.exhaustivity = exhaustivity
  }

  /// The state as it is.
  var current: R.State { tree.flatMap { $0.state(of: $0.rootID, R.self) } ?? lastKnown }

  func happened(_ content: Happening<R>.Content) {
    happenings.append(Happening(content: content, state: current))
  }

  func reduced(_ reduction: Reduction) {
    let now = current
    defer { lastKnown = now }
    let hasChanged = !areEqual(now, lastKnown)
    guard reduction.node == tree?.rootID else {
      guard hasChanged else { return }
      passes.append(now)
      return happened(.change(cause: reduction.typeName, child: reduction.node))
    }
    // A step back tries one route after the other.
    if case .dismissal = reduction.cause, !hasChanged { return }
    passes.append(now)
    switch reduction.cause {
    case .internalAction(let action):
      guard let action = action as? R.InternalAction else { return }
      happened(.internalAction(action))
    // The riblet starts, and `didBecomeActive` follows: what both change is asserted as one.
    case .props where isExpecting && tree?.transactionCount == 0: break
    case .viewAction, .dismissal, .walk, .activation, .props:
      if isExpecting {
        isExpecting = false
        firstPass = now
      } else if hasChanged {
        happened(.change(cause: reduction.cause.text, child: nil))
      }
    case .restoration, .resignation:
      if hasChanged { happened(.change(cause: reduction.cause.text, child: nil)) }
    }
  }

  /// Nothing is left of what was undone.
  func transactionEnded(isCommitted: Bool) {
    if !isCommitted {
      happenings.removeLast(max(0, happenings.count - committed.happenings))
      passes.removeLast(max(0, passes.count - committed.passes))
      lastKnown = committed.lastKnown
    }
    // Not before: what a child does as it becomes active, it does before it has its place.
    for index in committed.happenings..<max(committed.happenings, happenings.count) {
      if case .change(_, let child?) = happenings[index].content { happenings[index].path = tree?.path(of: child) }
    }
    committed = (happenings.count, passes.count, lastKnown)
  }

  /// Takes note of a refusal, after the end of the transaction that it has undone.
  func refused(_ effect: String, _ reason: String) {
    happened(.refusal(effect: effect, reason: reason))
    committed.happenings = happenings.count
  }

  /// Keeps what the test has left of what happened.
  func keep(_ happenings: [Happening<R>]) {
    self.happenings = happenings
    committed.happenings = happenings.count
  }

  /// Forgets what has happened.
  func clear() {
    happenings = []
    passes = []
    committed = (0, 0, lastKnown)
  }
}

extension Reduction.Cause {
  /// For a failure's text, if the test did not send it by the test riblet.
  fileprivate var text: String {
    switch self {
    case .viewAction(let action): "the view action \(caseName(action)), sent through the session"
    case .internalAction(let action): "the internal action \(caseName(action))"
    case .props(let props): "the props \(caseName(props))"
    case .activation: "didBecomeActive"
    case .resignation: "willResignActive"
    case .restoration: "didRestore"
    case .dismissal: "a step back"
    case .walk: "a step of a walk"
    }
  }
}
