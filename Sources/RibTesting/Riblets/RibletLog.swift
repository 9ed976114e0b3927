import RibCore

/// What a riblet did, as its test has to assert it: apart from the test, which may end while something still happens.
final class RibletLog<R: Riblet> where R.State: Equatable {
  var exhaustivity: Exhaustivity
  /// What was not asserted yet, in order.
  private(set) var happenings: [Happening<R>] = []
  /// The state after the first pass over what the test has sent.
  var firstPass: R.State?
  /// The states after each pass of a reducer.
  private(set) var passes: [R.State] = []
  private(set) var lastKnown: R.State
  /// Owns the closures that hold this.
  weak var tree: Tree?
  /// As of the last transaction's end.
  private var committed: (happenings: Int, passes: Int, lastKnown: R.State)

  init(_ state: R.State, _ exhaustivity: Exhaustivity) {
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
    guard reduction.node == tree?.rootID else {
      guard now != lastKnown else { return }
      passes.append(now)
      return happened(.change("\(reduction.typeName), whose state is a part of it"))
    }
    passes.append(now)
    switch reduction.cause {
    case .viewAction, .dismissal, .walk: firstPass = now
    case .internalAction(let action):
      guard let action = action as? R.InternalAction else { return }
      happened(.internalAction(action))
    case .childOutput(let output): happened(.childOutput(output))
    case .activation where firstPass == nil: firstPass = now
    case .activation, .restoration: if now != lastKnown { happened(.change("didBecomeActive")) }
    case .resignation: if now != lastKnown { happened(.change("willResignActive")) }
    }
  }

  /// Nothing is left of what was undone.
  func transactionEnded(isCommitted: Bool) {
    if !isCommitted {
      happenings.removeLast(max(0, happenings.count - committed.happenings))
      passes.removeLast(max(0, passes.count - committed.passes))
      lastKnown = committed.lastKnown
    }
    committed = (happenings.count, passes.count, lastKnown)
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
