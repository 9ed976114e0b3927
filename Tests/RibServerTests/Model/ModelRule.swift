/// The rules that keep an action from being lost or doubled, and a publication from being missed: the model can be run without one of them.
enum ModelRule: String, CaseIterable, Sendable {
  /// Nothing leaves before the commit that holds it.
  case commitFirst
  /// Refusals are committed with their numbers, and repeated in `welcome` until they are acknowledged.
  case nackKept
  /// A refusal goes out before a message whose `n` covers it.
  case nackFirst
  /// A `hello` whose `try` is not above the last accepted one is refused.
  case tryChecked
  /// The `try` is a part of the commit that its `welcome` waits for.
  case tryCommitted
  /// Nothing more is read from a connection that was overtaken.
  case overtakenUnread
  /// An action that was run or refused is not run again.
  case onceOnly
  /// A commit is one cut: numbers and state together.
  case wholeCommit
  /// What a store could not write is a part of the next commit.
  case nothingLeftOut
  /// Nothing is let out while a store fails from which another process may take the session.
  case storeAwaited
  /// A session that wakes keeps the revision that it had.
  case wakeRevision
  /// A session that wakes with another view has another epoch.
  case wakeHash
  /// No client sleeps on while another one wakes the session.
  case wakeTogether
  /// A client sleeps on only if it has all of the view that its session rests with.
  case allSeen
  /// What is committed is synced before it is reported.
  case syncedFirst
  /// Who has lost the lease writes no more.
  case leaseChecked
  /// A client sends nothing between `hello` and `welcome`.
  case quiet
  /// Effects start after the commit that holds their cause.
  case effectsAfterCommit
  /// What a session at rest observes wakes it.
  case bellsArmed
  /// What was published before a bell is armed, and the session was not told of, rings as well.
  case pastRings

  /// What a server without this rule does not do either: what would keep a client from noticing that the rule is broken.
  var broken: Set<ModelRule> {
    switch self {
    // An action comes twice only over a connection that was overtaken.
    case .onceOnly: [self, .overtakenUnread]
    default: [self]
    }
  }
}

/// Something that a schedule has come to and may not.
struct ModelFinding: Error, Hashable, CustomStringConvertible {
  /// What kind of thing.
  enum Kind: String {
    /// An action that was told to be done is not in the state.
    case lost
    /// An action is in the state twice.
    case doubled
    /// An action that was told to be refused is in the state.
    case refusedAndDone = "refused and done"
    /// A client has seen a state that there never was, after a crash.
    case takenBack = "taken back"
    /// A client cannot go on.
    case stuck
    /// A client's outbox is not answered.
    case unanswered
    /// A client is not shown what was published.
    case untold
    /// A client has another view than the server.
    case otherView = "another view"
    /// The two ends do not agree on the protocol.
    case brokenProtocol = "broken protocol"
    /// An effect has started whose cause never was.
    case causelessEffect = "an effect without a cause"
  }

  let kind: Kind
  let detail: String

  var description: String { "\(kind.rawValue): \(detail)" }

  static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
  func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
