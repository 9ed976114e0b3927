package import RibCore
package import Wire

/// What of a session never changes.
package struct SessionIdentity: Sendable, Equatable {
  /// The session's name.
  package let id: String
  /// The app whose session it is.
  package let app: String
  /// What its root was built with, as JSON; nil for nothing.
  package let parameters: String?
  /// The place that the session was begun from, and counts towards; nil if it counts towards none, or was loaded from a store.
  package let place: String?

  /// A session.
  package init(id: String, app: String, parameters: String?, place: String? = nil) {
    self.id = id
    self.app = app
    self.parameters = parameters
    self.place = place
  }
}

/// What of a session changes, but for its nodes.
package struct SessionState: Sendable, Equatable {
  /// The revision of its view.
  package var revision: Int
  /// Its clients.
  package var clients: [ClientRecord]
  /// Invitations that are not used.
  package var invitations: [Invitation]
  /// Whether an action was applied.
  package var hasActed: Bool
  /// Whether a process holds the session: it is in a server's memory, or a client waits there for it to come back.
  package var isHeld: Bool
  /// For how long it has been without a client; in whole seconds.
  package var alone: Duration
  /// The life of the tree that revisions are counted in, and the hash of its view: only of a session that has left memory
  /// in order.
  package var rest: Rest?

  /// What changes.
  package init(
    revision: Int, clients: [ClientRecord], invitations: [Invitation], hasActed: Bool, isHeld: Bool,
    alone: Duration = .zero, rest: Rest? = nil
  ) {
    self.revision = revision
    self.clients = clients
    self.invitations = invitations
    self.hasActed = hasActed
    self.isHeld = isHeld
    self.alone = alone
    self.rest = rest
  }

  /// What a session that goes on needs, so that clients do not notice that it was away.
  package struct Rest: Sendable, Equatable {
    /// The life of the tree.
    package let epoch: String
    /// The SHA-256 of the view.
    package let viewHash: String
    /// The program that it may sleep on with when a client comes back; nil if it has to be loaded then, because an effect is
    /// to run again, or what it observes.
    package let program: String?

    /// A session that has left memory.
    package init(epoch: String, viewHash: String, program: String? = nil) {
      self.epoch = epoch
      self.viewHash = viewHash
      self.program = program
    }
  }

  /// Whether a token may open the session.
  ///
  /// - Parameters:
  ///   - tokenHash: the token's; nil for a client that was let in before.
  ///   - now: seconds since 1970.
  /// - Returns: false if it is neither a client's nor an invitation's.
  package func admits(_ tokenHash: String?, at now: Int) -> Bool {
    guard let tokenHash else { return true }
    return clients.contains { $0.isOpened(byTokenWith: tokenHash) }
      || invitations.contains { $0.tokenHash == tokenHash && $0.expires > now }
  }

  /// Revokes the clients whose persons were signed out.
  ///
  /// All invitations are void then, as any may be from one of these persons. If the client is among them that has begun the session, the
  /// anonymous clients are retired as well.
  ///
  /// - Parameter isRevoked: whether a person was signed out.
  package mutating func revoke(where isRevoked: (ClientProfile.Person) throws -> Bool) rethrows {
    for index in clients.indices {
      guard var person = clients[index].person, !person.isRevoked, try isRevoked(person) else { continue }
      person.isRevoked = true
      clients[index].profile = clients[index].profile.flatMap { ClientProfile($0.info, person) }
      invitations = []
      guard index == 0 else { continue }
      for other in clients.indices where clients[other].person == nil { clients[other].tokenHash = "" }
    }
  }

  /// What a store may say to a client that comes back without loading the session.
  package enum Readmission: Equatable {
    /// The client may come back: this is its place in ``clients``.
    case resting(Int)
    /// The token is not the client's.
    case denied
    /// A newer connection of the client has been there.
    case stale
    /// The session has to be loaded.
    case mustLoad
  }

  /// Judges a client that comes back.
  ///
  /// - Parameters:
  ///   - resume: what it says.
  ///   - isHeldHere: whether the process that holds the session, if one does, is the one that asks: then clients wait there
  ///     for the session, which it has not in memory.
  /// - Returns: what it may be told.
  package func readmission(of resume: SessionResume, isHeldHere: Bool) -> Readmission {
    guard let index = clients.firstIndex(where: { $0.id == resume.clientID }),
      clients[index].isOpened(byTokenWith: resume.tokenHash)
    else { return .denied }
    guard resume.attempt > clients[index].attempt else { return .stale }
    guard !isHeld || isHeldHere, let rest, rest.program == resume.program, haveSameUTF8(rest.epoch, resume.epoch),
      revision == resume.revision, clients[index].isUnchanged(by: resume)
    else { return .mustLoad }
    return .resting(index)
  }
}

extension ClientRecord {
  /// Whether a client that comes back shows the identity that is kept, so that the session need not be loaded to judge the client.
  fileprivate func isUnchanged(by resume: SessionResume) -> Bool {
    guard let person else { return resume.identity == nil }
    guard !person.isRevoked, person.formerTokenHash == nil, let identity = resume.identity else { return false }
    return person.identity.isSame(as: identity)
  }
}

/// What is kept of a client, but for its refusals.
package struct ClientRecord: Sendable, Equatable, Codable {
  /// How many bytes of a store a record takes, about: most are of the texts that a client says of itself.
  static let usualSize = 1024

  /// Refusals that are counted and not kept, as the client has acknowledged none for long.
  package struct Omitted: Sendable, Equatable, Codable {
    /// How many there are.
    package let count: Int
    /// The number of the last of these actions.
    package let last: Int
  }

  /// The client's id, counted from 1.
  package let id: Int
  /// The SHA-256 of its token, in hexadecimal digits; empty once it has said that it does not come back.
  package var tokenHash: String
  /// The `try` of the last `hello` that was accepted.
  package var attempt: Int
  /// The last action that was run or refused.
  package var number: Int
  /// What it may do.
  package let scope: ShareScope
  /// What the client has said of itself, and the person behind it; nil if there is neither.
  package var profile: ClientProfile?
  /// Refusals that are not kept; nil for none.
  package var omitted: Omitted?

  /// A client.
  package init(
    id: Int, tokenHash: String, attempt: Int, number: Int, scope: ShareScope, profile: ClientProfile? = nil
  ) {
    self.id = id
    self.tokenHash = tokenHash
    self.attempt = attempt
    self.number = number
    self.scope = scope
    self.profile = profile
  }

  /// The person behind the client; nil for nobody.
  package var person: ClientProfile.Person? { profile?.person }

  /// Whether a token is the client's: its present one, or its former one, which is for its person alone (``ClientProfile/Person``).
  ///
  /// - Parameter hash: the token's hash.
  /// - Returns: whether the token opens the session for the client.
  package func isOpened(byTokenWith hash: String) -> Bool {
    let isFormer = person?.formerTokenHash.map { SessionToken.isSame(hash, $0) } ?? false
    return !hash.isEmpty && (SessionToken.isSame(hash, tokenHash) || isFormer)
  }
}

/// What a store has to write of a session: the difference from the last cut.
package struct SessionCut: Sendable {
  /// A refusal, and the client that it is for.
  package struct Refusal: Sendable, Equatable {
    /// The client's id.
    package let client: Int
    /// What it is to be told.
    package let nack: Nack

    /// A refusal.
    package init(client: Int, nack: Nack) {
      self.client = client
      self.nack = nack
    }
  }

  /// Counts the cuts under one lease, from 1: a store that has a later one does not write this.
  package var version: Int64
  /// What is kept but for the nodes.
  package var state: SessionState
  /// The nodes that have changed.
  package var tree: TreeCut
  /// Refusals that are new.
  package var nacks: [Refusal]
  /// For each client, counted from 1, the refusals that it has heard of: the highest number.
  package var acknowledged: [Int: Int]
  /// What once made a server die, and has gone well since.
  package var survived: [StoredSession.Crash]
  /// Whether of the state nothing but the revision and the clients' tries and numbers differs from the cut before, and a
  /// process held the session all the time: so it is with nearly all of them.
  package var isProgress = false
  /// How many sessions the place and the person that begin this one may have; nil for any number.
  package var quota: Quota?

  /// How many sessions a store keeps of one place and of one person at most; 0 for any number.
  package struct Quota: Sendable, Equatable {
    /// Sessions that were begun from one place.
    package let perPlace: Int
    /// Sessions that have a client of the person who begins this one.
    package let perPerson: Int

    /// A quota.
    package init(perPlace: Int, perPerson: Int) {
      self.perPlace = perPlace
      self.perPerson = perPerson
    }
  }

  /// What is to be written.
  package init(
    version: Int64, state: SessionState, tree: TreeCut, nacks: [Refusal], acknowledged: [Int: Int],
    survived: [StoredSession.Crash]
  ) {
    self.version = version
    self.state = state
    self.tree = tree
    self.nacks = nacks
    self.acknowledged = acknowledged
    self.survived = survived
  }

  /// Takes in the next cut, when the store could not write this one.
  mutating func append(_ later: SessionCut) {
    version = later.version
    state = later.state
    tree.append(later.tree)
    nacks += later.nacks
    acknowledged.merge(later.acknowledged) { $1 }
    survived += later.survived
    isProgress = isProgress && later.isProgress
  }
}

/// A session as it was committed last.
package struct StoredSession: Sendable {
  /// Something that ran when a server's process died.
  package struct Crash: Sendable, Equatable {
    /// How often something may be found before it is not run again.
    package static let limit = 2

    /// The client whose action it was; 0 if the session was waking, or an effect had sent something.
    package let client: Int
    /// The action; without a client 0 if the session was waking, or the number of the effect.
    package let number: Int
    /// How often.
    package let count: Int

    /// Something that ran.
    package init(client: Int, number: Int, count: Int) {
      self.client = client
      self.number = number
      self.count = count
    }
  }

  /// What never changes.
  package let identity: SessionIdentity
  /// The reader's right to write the session; the versions of its cuts begin with 1.
  package let lease: SessionLease
  /// What is kept but for the nodes.
  package var state: SessionState
  /// The nodes.
  package let tree: TreeSnapshot
  /// Refusals that clients have not acknowledged.
  package let nacks: [SessionCut.Refusal]
  /// What ran when servers died.
  package let crashes: [Crash]

  /// A session.
  package init(
    identity: SessionIdentity, lease: SessionLease, state: SessionState, tree: TreeSnapshot,
    nacks: [SessionCut.Refusal], crashes: [Crash]
  ) {
    self.identity = identity
    self.lease = lease
    self.state = state
    self.tree = tree
    self.nacks = nacks
    self.crashes = crashes
  }
}
