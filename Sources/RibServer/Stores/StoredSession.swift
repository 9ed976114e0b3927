import RibCore
import Wire

/// What of a session never changes.
struct SessionIdentity: Sendable, Equatable {
  /// The session's name.
  let id: String
  /// The app whose session it is.
  let app: String
  /// What its root was built with, as JSON; nil for nothing.
  let parameters: String?
}

/// What of a session changes, but for its nodes.
struct SessionState: Sendable, Equatable {
  /// The revision of its view.
  var revision: Int
  /// Its renderers.
  var clients: [ClientRecord]
  /// Invitations that nobody has used.
  var invitations: [Invitation]
  /// Whether an action was applied.
  var hasActed: Bool
  /// Whether somebody has the session: it is in a server's memory, or a client waits there for it to come back.
  var isHeld: Bool
  /// When a client was seen last, in seconds since 1970.
  var seen: Int
  /// The life of the tree that revisions are counted in, and the hash of its view: only of a session that has left memory
  /// in order.
  var rest: Rest?

  /// What a session that goes on needs, so that clients do not notice that it was away.
  struct Rest: Sendable, Equatable {
    let epoch: String
    let viewHash: String
  }

  /// Whether a token may open the session.
  ///
  /// - Parameter tokenHash: the token's; nil for who was let in before.
  /// - Returns: false if it is neither a client's nor an invitation's.
  func admits(_ tokenHash: String?) -> Bool {
    guard let tokenHash else { return true }
    return clients.contains { $0.tokenHash == tokenHash }
      || invitations.contains { $0.tokenHash == tokenHash && $0.expires > wallClockSeconds() }
  }
}

/// What is kept of a renderer, but for its refusals.
struct ClientRecord: Sendable, Equatable, Codable {
  /// The renderer, counted from 1.
  let id: Int
  /// The SHA-256 of its token, in hexadecimal digits; empty once it has said that it does not come back.
  var tokenHash: String
  /// The `try` of the last `hello` that was accepted.
  var attempt: Int
  /// The last action that was run or refused.
  var number: Int
  /// What it may do.
  let scope: ShareScope
}

/// What a store has to write of a session: the difference from the last cut.
struct SessionCut: Sendable {
  /// A refusal, and whose.
  struct Refusal: Sendable, Equatable {
    let client: Int
    let nack: Nack
  }

  var state: SessionState
  var tree: TreeCut
  /// Refusals that are new.
  var nacks: [Refusal]
  /// For each renderer, counted from 1, the refusals that it has heard of: the highest number.
  var acknowledged: [Int: Int]
  /// What once made a server die, and has gone well since.
  var survived: [StoredSession.Crash]

  /// Takes in what has changed since, when this one could not be written.
  mutating func append(_ later: SessionCut) {
    state = later.state
    tree.append(later.tree)
    nacks += later.nacks
    acknowledged.merge(later.acknowledged) { $1 }
    survived += later.survived
  }
}

/// A session as it was committed last.
struct StoredSession: Sendable {
  /// Something that ran when a server's process died.
  struct Crash: Sendable, Equatable {
    /// How often something may be found before it is not run again.
    static let limit = 2

    /// The renderer whose action it was; 0 if the session was waking, or an effect had sent something.
    let client: Int
    /// The action; without a client 0 if the session was waking, or the number of the effect.
    let number: Int
    /// How often.
    let count: Int
  }

  let identity: SessionIdentity
  /// Nil if whoever goes on with the session has to create it again.
  let lease: SessionLease?
  var state: SessionState
  let tree: TreeSnapshot
  let nacks: [SessionCut.Refusal]
  let crashes: [Crash]
}
