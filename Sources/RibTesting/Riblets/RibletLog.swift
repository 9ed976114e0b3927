import RibCore

/// What a riblet has done, as its test has to assert it.
///
/// An object of its own, as effects may still report after the test riblet is gone.
final class RibletLog<R: Riblet> {
  var exhaustivity: Exhaustivity
  /// What the test has not asserted yet, in order.
  private(set) var happenings: [Happening<R>] = []
  /// Whether the test is about to assert the change by the next reducer, which sets ``firstPass``.
  var isExpecting = false
  /// The state after the first reducer that ran for what the test has done; nil before.
  var firstPass: R.State?
  /// The states after each call of a reducer.
  private(set) var passes: [R.State] = []
  private(set) var lastKnown: R.State
  /// Weak, as the tree's closures hold the log: a strong reference would be a cycle.
  weak var tree: Tree?
  /// The counts and the state as of the last commit, to which a rollback returns.
  private var committed: (happenings: Int, passes: Int, lastKnown: R.State)
  /// Compares two states.
  let areEqual: (R.State, R.State) -> Bool

  init(_ state: R.State, _ exhaustivity: Exhaustivity, _ areEqual: @escaping (R.State, R.State) -> Bool) {
    self.areEqual = areEqual
    lastKnown = state
    committed = (0, 0, state)
    self.exhaustivity = exhaustivity
  }

  /// The present state of the riblet.
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
    // The back button is offered to one route after the other; those that keep their child have not done anything.
    if case .dismissal = reduction.cause, !hasChanged { return }
    passes.append(now)
    switch reduction.cause {
    case .internalAction(let action):
      guard let action = action as? R.InternalAction else { return }
      happened(.internalAction(action))
    // The start of the riblet: `didBecomeActive` follows the props, and the test asserts the changes of both as one.
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

  /// Forgets what a rolled-back transaction has done, and finds the paths of the children that have changed the state.
  func transactionEnded(isCommitted: Bool) {
    if !isCommitted {
      happenings.removeLast(max(0, happenings.count - committed.happenings))
      passes.removeLast(max(0, passes.count - committed.passes))
      lastKnown = committed.lastKnown
    }
    // At the end of the transaction only: a child that acts as it becomes active has no path yet.
    for index in committed.happenings..<max(committed.happenings, happenings.count) {
      if case .change(_, let child?) = happenings[index].content { happenings[index].path = tree?.path(of: child) }
    }
    committed = (happenings.count, passes.count, lastKnown)
  }

  /// Notes a refusal, after the rollback of the transaction that it has caused.
  func refused(_ effect: String, _ reason: String) {
    happened(.refusal(effect: effect, reason: reason))
    committed.happenings = happenings.count
  }

  /// Replaces the happenings by those that the test has not asserted.
  func keep(_ happenings: [Happening<R>]) {
    self.happenings = happenings
    committed.happenings = happenings.count
  }

  /// Forgets everything that has happened.
  func clear() {
    happenings = []
    passes = []
    committed = (0, 0, lastKnown)
  }
}

extension Reduction.Cause {
  /// The cause of a change, for a failure's text.
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
