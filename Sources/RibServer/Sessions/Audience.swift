import RibCore
import Wire

/// A client of a session: what it has said, and where it is.
struct Client {
  /// What it has said.
  var ledger: ClientLedger
  /// Where it is; nil if it is away.
  var channel: Channel?
  /// What it may cost, over all its connections and requests; nil as long as it has none.
  var budget: ClientBudget?
  /// The refusals that it has heard of since the last cut: the highest number.
  var acknowledged: Int?
  /// Whether the client may have been let in by another process since its last attempt that came to this one, and no commit has
  /// shown since that the session is still this process's.
  fileprivate(set) var mayHaveBeenElsewhere = false

  /// The client as riblets see it when they authorize its actions.
  var actor: ActingClient {
    ActingClient(id: ledger.id, scope: ledger.record.scope, ledger.record.person?.identity)
  }
}

/// The clients of a session, and who may join them.
///
/// | a client    | ``attach(_:to:)``              | ``detach(_:)`` | ``retire(_:)`` |
/// |-------------|--------------------------------|----------------|----------------|
/// | is away     | is there                       |                | does not come back |
/// | is there    | is there, where it has come from last | is away | says goodbye, then is away for good |
/// | has said goodbye | (no token admits it)      | is away        |                |
///
/// Clients are known by their ids (`cid`), counted from 1; none is used again. The first client is the one that has begun the session.
struct Audience {
  /// How many clients a session may have; a client that cannot come back leaves its place to the next one.
  static let limit = 64
  /// How many there may be for one to join whom a client has invited that may only look: the rest is left to those who may act.
  static let viewerLimit = 48

  /// Client 1, and the others in the order of their ids until the session is full: then a new client takes the place of one that is gone.
  private var clients: [Client]
  /// The last refusal of each client that has left its place to another, until the store is told to forget it and those before.
  private var gone: [Int: Int] = [:]
  /// Invitations that are not used.
  private(set) var invitations: [Invitation] = []
  /// Counts what a store has to be told besides the clients' tries and numbers.
  private(set) var changeCount = 0
  /// Whether one of the clients may have been elsewhere.
  private var hasDoubts = false

  /// The audience of a new session: one client, which is away.
  ///
  /// - Parameters:
  ///   - token: the client's.
  ///   - profile: what the client has said of itself, and the person behind it.
  init(token: String, profile: ClientProfile? = nil) {
    clients = [Client(ledger: ClientLedger(id: 1, token: token, profile: profile))]
  }

  /// An audience that is away.
  ///
  /// - Parameter stored: from the store.
  init(_ stored: StoredSession) {
    clients = stored.state.clients.map { record in
      Client(ledger: ClientLedger(record, nacks: stored.nacks.filter { $0.client == record.id }.map(\.nack)))
    }
    invitations = stored.state.invitations
    for id in ids { forgetRefusals(of: id) }
  }

  /// A client, by its id.
  subscript(id: Int) -> Client {
    // Not _read, whose frame has a copy of what is in an array: code that the compiler of Swift 6.3 has not optimized reads the copy after the
    // frame is freed, as the address sanitizer shows.
    @inline(__always) get { clients[knownPlace(of: id)] }
    _modify { yield &clients[knownPlace(of: id)] }
  }

  @inline(__always)
  private func knownPlace(of id: Int) -> Int {
    guard let place = place(of: id) else { preconditionFailure("There is no client \(id).") }
    return place
  }

  /// Where a client is; nil if there is no such client.
  @inline(__always)
  private func place(of id: Int) -> Int? {
    if clients.indices.contains(id - 1), clients[id - 1].ledger.id == id { return id - 1 }
    return placeOfOneMoved(id)
  }

  /// The place of a client in whose own place another one is.
  private func placeOfOneMoved(_ id: Int) -> Int? { clients.firstIndex { $0.ledger.id == id } }

  /// Whether there is a client with an id.
  func has(_ id: Int) -> Bool { place(of: id) != nil }

  /// The clients' ids, in the order of ``places``.
  var ids: [Int] { clients.map(\.ledger.id) }
  /// The places of the clients, for who asks all of them in turn without the memory that ``ids`` takes.
  var places: Range<Int> { clients.indices }
  /// The id of the client at a place.
  func id(at place: Int) -> Int { clients[place].ledger.id }
  /// How many clients there are.
  var count: Int { clients.count }
  /// How many clients are there.
  var connectedCount: Int { clients.count { $0.channel != nil } }
  /// The clients that are there.
  var connected: [ConnectedClient] {
    clients.filter { $0.channel != nil }.map { ConnectedClient(id: $0.ledger.id, scope: $0.ledger.record.scope) }
  }
  /// Whether no client is there.
  var isAway: Bool { clients.allSatisfy { $0.channel == nil } }
  /// Whether no client comes back that may act: those who look on could not end the session, nor change anything.
  var isRetired: Bool { clients.allSatisfy { $0.ledger.isRetired || $0.ledger.record.scope == .view } }
  /// What a store keeps of the clients.
  var records: [ClientRecord] { clients.map(\.ledger.record) }
  /// The refusals that clients have not heard of.
  var nacks: [SessionCut.Refusal] {
    clients.flatMap { client in client.ledger.nacks.map { SessionCut.Refusal(client: client.ledger.id, nack: $0) } }
  }

  /// Calls back with each channel.
  @inline(__always)
  func forEachChannel(_ body: (Channel) -> Void) {
    for client in clients { if let channel = client.channel { body(channel) } }
  }

  /// Counts time of the loop to a client.
  @inline(__always)
  func noteTime(_ nanoseconds: UInt64, of id: Int) {
    if let place = place(of: id) { clients[place].budget?.noteTime(nanoseconds) }
  }

  /// Counts time that others will take as a client has acted; nothing if there is no such client.
  func noteTimeElsewhere(_ nanoseconds: UInt64, of id: Int) {
    if let place = place(of: id) { clients[place].budget?.noteTimeElsewhere(nanoseconds) }
  }

  /// Counts bytes that were written as a client has acted; nothing if there is no such client.
  func noteAnswer(bytes: Int, of id: Int) {
    if let place = place(of: id) { clients[place].budget?.noteAnswer(bytes: bytes) }
  }

  /// The client that has a token.
  ///
  /// - Parameter token: what it says.
  /// - Returns: its id; nil if the token is no one's.
  func client(with token: String) -> Int? {
    let hash = SessionToken.hash(token)
    return clients.first { $0.ledger.record.isOpened(byTokenWith: hash) }?.ledger.id
  }

  /// Whether a token is that of a client; false if there is no such client.
  func isOpened(_ id: Int, by token: String) -> Bool {
    guard let place = place(of: id) else { return false }
    return clients[place].ledger.record.isOpened(byTokenWith: SessionToken.hash(token))
  }

  // MARK: Coming and going

  /// Lets a client that comes back have its place again.
  ///
  /// - Parameters:
  ///   - resume: what it says.
  ///   - identity: the person whose credential the client has shown; nil for nobody.
  ///   - access: who may use the app.
  /// - Returns: the client's binding; or why it is not let in, and then nothing has changed.
  mutating func admit(
    _ resume: ClientMessage.Resume, as identity: Identity? = nil, _ access: App.Access = .anyone
  ) -> Result<Binding, Ending> {
    let id = resume.clientID
    guard has(id) else { return .failure(Ending(.denied, "There is no client \(id) in this session.")) }
    guard isOpened(id, by: resume.token) else {
      return .failure(Ending(.denied, "The token is not that of client \(id) in this session."))
    }
    return Binding.judge(self[id].ledger.record, identity, access).flatMap { binding in
      take(resume.attempt, of: id).map { .failure($0) } ?? .success(binding)
    }
  }

  /// Whether a client's `try` says that attempts before it have not come here: each is one more than the last.
  ///
  /// - Parameters:
  ///   - attempt: its `try`.
  ///   - id: the client, as it says.
  /// - Returns: false if there is no such client.
  func misses(_ attempt: Int, of id: Int) -> Bool {
    has(id) && attempt > self[id].ledger.record.attempt + 1
  }

  /// Takes note of the `try` of a client that comes back, and has shown its token.
  ///
  /// - Parameters:
  ///   - attempt: its `try`.
  ///   - id: the client.
  /// - Returns: why it is not let in; nothing is changed then. Nil if it is.
  mutating func take(_ attempt: Int, of id: Int) -> Ending? {
    self[id].ledger.take(attempt: attempt) ? nil : Self.stale(attempt)
  }

  private static func stale(_ attempt: Int) -> Ending {
    Ending(.stale, "Attempt \(attempt) is not above the last one.")
  }

  /// Gives a channel to a client.
  mutating func attach(_ channel: Channel, to id: Int) { self[id].channel = channel }

  /// Takes a client's channel from it.
  ///
  /// - Parameter id: the client.
  /// - Returns: the channel.
  mutating func detach(_ id: Int) -> Channel? {
    defer { self[id].channel = nil }
    return self[id].channel
  }

  /// Takes note that a client may have been let in by another process since it was here before.
  mutating func mayHaveBeenElsewhere(_ id: Int) {
    self[id].mayHaveBeenElsewhere = true
    hasDoubts = true
  }

  /// Takes note of a commit: no other process has the session, and so none has had a client of it.
  mutating func didCommit() {
    guard hasDoubts else { return }
    hasDoubts = false
    for index in clients.indices { clients[index].mayHaveBeenElsewhere = false }
  }

  /// Lets a client not come back.
  mutating func retire(_ id: Int) {
    self[id].ledger.retire()
    changeCount += 1
  }

  /// The refusals that clients have heard of since this was asked last: the highest number, for each.
  mutating func takeAcknowledged() -> [Int: Int] {
    var acknowledged = gone
    gone = [:]
    for index in clients.indices {
      guard let number = clients[index].acknowledged else { continue }
      acknowledged[id(at: index)] = number
      clients[index].acknowledged = nil
    }
    return acknowledged
  }

  // MARK: Persons

  /// Binds a client to a person, with a token that only the person gets.
  ///
  /// If the client is the one that has begun the session, the other clients are retired and the invitations void: they date from before
  /// the session was the person's.
  ///
  /// - Parameters:
  ///   - id: the client.
  ///   - identity: the person.
  ///   - token: the new token.
  ///   - now: the mark of the binding.
  /// - Returns: the clients that were retired.
  mutating func signIn(_ id: Int, _ identity: Identity, token: String, at now: Int) -> [Int] {
    self[id].ledger.signIn(identity, token: token, at: now)
    changeCount += 1
    guard id == 1 else { return [] }
    invitations = []
    let others = ids.filter { $0 != id && !self[$0].ledger.isRetired }
    for other in others { self[other].ledger.retire() }
    return others
  }

  /// Keeps the newest identity of a client's person, and voids the client's former token once the client has shown the new one.
  ///
  /// - Parameters:
  ///   - id: the client.
  ///   - identity: the person.
  ///   - token: the token that the client has shown; nil if it has not shown one again.
  /// - Returns: whether anything has changed that the store keeps.
  mutating func renew(_ id: Int, _ identity: Identity, showing token: String?) -> Bool {
    var hasChanged = self[id].ledger.renew(identity)
    if let token, !self[id].ledger.isFormer(token), self[id].ledger.forgetFormerToken() { hasChanged = true }
    if hasChanged { changeCount += 1 }
    return hasChanged
  }

  /// Revokes the clients whose persons were signed out, and all invitations.
  ///
  /// If the client is among them that has begun the session, the anonymous clients are retired as well.
  ///
  /// - Parameter isRevoked: whether a person was signed out.
  /// - Returns: the clients that cannot come back any more.
  mutating func revoke(where isRevoked: (ClientProfile.Person) -> Bool) -> [Int] {
    var revoked: [Int] = []
    for id in ids {
      guard let person = self[id].ledger.record.person, !person.isRevoked, isRevoked(person) else { continue }
      _ = self[id].ledger.revoke()
      revoked.append(id)
    }
    guard !revoked.isEmpty else { return [] }
    // Any invitation may be from one of these persons, and any anonymous client may have joined by such an invitation.
    invitations = []
    for id in ids where revoked.contains(1) && self[id].ledger.record.person == nil && !self[id].ledger.isRetired {
      self[id].ledger.retire()
      revoked.append(id)
    }
    changeCount += 1
    return revoked
  }

  // MARK: Invitations

  /// Keeps a token with which another client can join, once; of too many the oldest is void.
  ///
  /// Those of clients that may act and those of the others do not push each other out.
  ///
  /// - Parameters:
  ///   - token: the token; only its hash is kept.
  ///   - scope: what the client that joins may do.
  ///   - inviter: what the client may do that invites.
  ///   - now: seconds since 1970.
  mutating func invite(_ token: String, _ scope: ShareScope, by inviter: ShareScope = .act, at now: Int) {
    changeCount += 1
    invitations.removeAll { $0.expires <= now }
    if invitations.count(where: { $0.inviter == inviter }) == Invitation.limit,
      let oldest = invitations.firstIndex(where: { $0.inviter == inviter })
    {
      invitations.remove(at: oldest)
    }
    invitations.append(
      Invitation(
        tokenHash: SessionToken.hash(token), scope: scope, expires: now + Invitation.lifetime, inviter: inviter))
  }

  /// Makes a client by an invitation, which is void then.
  ///
  /// - Parameters:
  ///   - invitation: the token that was shared.
  ///   - token: what the new client will prove itself with.
  ///   - profile: what the new client has said of itself, and the person behind it.
  ///   - now: seconds since 1970.
  /// - Returns: the client's id, or why there is none.
  mutating func accept(
    _ invitation: String, as token: String, _ profile: ClientProfile? = nil, at now: Int
  ) -> Result<Int, Ending> {
    let hash = SessionToken.hash(invitation)
    let place = invitations.firstIndex { $0.expires > now && SessionToken.isSame(hash, $0.tokenHash) }
    guard let place else {
      return .failure(Ending(.denied, "Nobody was invited with this token, or it was used, or it is too old."))
    }
    let isFull = clients.count >= (invitations[place].inviter == .view ? Self.viewerLimit : Self.limit)
    let free = isFull ? placeOfOneGone : clients.endIndex
    guard let free else {
      return .failure(Ending(.full, "The session has \(clients.count) clients, and takes no more by this invitation."))
    }
    let id = clients.reduce(0) { max($0, $1.ledger.id) } + 1
    changeCount += 1
    if isFull {
      let former = clients.remove(at: free)
      gone[former.ledger.id] = former.ledger.nacks.last?.number ?? former.acknowledged
    }
    clients.insert(
      Client(ledger: ClientLedger(id: id, token: token, scope: invitations[place].scope, profile: profile)), at: free)
    invitations.remove(at: place)
    // There is less for each.
    for id in ids { forgetRefusals(of: id) }
    return .success(id)
  }

  /// The place of a client that is away and cannot come back; nil if there is none.
  ///
  /// The first client keeps its place: the session may be its person's.
  private var placeOfOneGone: Int? {
    clients.indices.dropFirst().first { clients[$0].channel == nil && clients[$0].ledger.isRetired }
  }

  // MARK: Refusals

  /// The most bytes of refusals that are kept for all clients.
  static let nackBytes = 1 << 20

  /// Keeps a refusal until its client acknowledges it.
  ///
  /// - Returns: the last action whose refusal is only counted now, to have room for this one; nil if none is.
  @discardableResult mutating func refuse(_ nack: Nack, of id: Int) -> Int? {
    self[id].ledger.refuse(nack)
    return forgetRefusals(of: id)
  }

  /// Forgets the refusals that a client has heard of.
  ///
  /// - Parameters:
  ///   - number: the highest action that it was told of.
  ///   - id: the client.
  mutating func acknowledge(_ number: Int, of id: Int) {
    let omitted = self[id].ledger.record.omitted
    let hasForgotten = self[id].ledger.acknowledge(number)
    // The store forgets them with the next commit: one that is repeated does no harm.
    if hasForgotten { self[id].acknowledged = number }
    if self[id].ledger.record.omitted != omitted { changeCount += 1 }
  }

  /// Counts a client's oldest refusals in place of keeping them, if they take more than its part of what all may take.
  @discardableResult private mutating func forgetRefusals(of id: Int) -> Int? {
    let limit = min(ClientLedger.nackBytes, Self.nackBytes / clients.count)
    guard let last = self[id].ledger.forgetRefusals(beyond: limit) else { return nil }
    self[id].acknowledged = last
    changeCount += 1
    return last
  }
}
