import RibCore
import Wire

/// What of a session happened since the last cut, and waits.
struct Uncommitted {
  /// Refusals that are new.
  var nacks: [SessionCut.Refusal] = []
  /// What effects are to do.
  var commands: [EffectCommand] = []
  /// Channels of clients that have left or come back elsewhere, with messages that are still held.
  var left: [Channel] = []
  /// What is being committed: in a store's hands, or what it could not write.
  var request: StoreRequest?
  /// How many transactions the tree had done when that was cut.
  var transactionCount: UInt64 = 0
  /// When that was, in nanoseconds of the monotonic clock.
  var cutTime: UInt64 = 0
  /// What effects are to do when the cut is written.
  var cutCommands: [EffectCommand] = []
  /// Called with true when it is committed, or with false when it never will be; at the session's end, with whether the end is certain.
  var waiters: [(_ isCommitted: Bool) -> Void] = []
  /// The waiters whose commit is the cut.
  var cutWaiters: [(_ isCommitted: Bool) -> Void] = []
  /// Answers to actions.
  var answers = AwaitedAnswers()

  /// Forgets refusals that no client asks for any more.
  mutating func forgetRefusals(of client: Int, upTo number: Int) {
    guard !nacks.isEmpty else { return }
    nacks.removeAll { $0.client == client && $0.nack.number <= number }
  }

  /// Takes note that all that has happened is a part of the cut.
  mutating func beginCut() {
    cutCommands += commands
    commands = []
    cutWaiters += waiters
    waiters = []
    answers.beginCut()
  }

  /// Takes note that the cut is written.
  ///
  /// - Parameter all: whether what has happened since has nothing to wait for either.
  /// - Returns: what effects are to do, and the waiters to be called.
  mutating func endCut(all: Bool) -> (commands: [EffectCommand], waiters: [(Bool) -> Void]) {
    if all { beginCut() }
    request = nil
    defer { (cutCommands, cutWaiters) = ([], []) }
    return (cutCommands, cutWaiters)
  }
}

/// What of a session's state differs between cuts that are more than progress: see ``SessionCut/isProgress``.
struct CutExtent: Equatable {
  /// How often the clients or their invitations have changed: ``Audience/changeCount``.
  let audience: Int
  let hasActed: Bool
}
