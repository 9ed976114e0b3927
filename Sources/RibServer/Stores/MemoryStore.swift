import RibCore
import Synchronization
package import Wire

/// Keeps sessions in memory: a session that rests here takes less than one that runs, and none outlives the process.
package final class MemoryStore: SessionStore {
  /// A session as it is kept.
  private struct Row {
    let identity: SessionIdentity
    let number: Int64
    var lease: Int64 = 1
    var version: Int64
    /// Its ``SessionState/alone`` is not kept up.
    var state: SessionState
    var tree: TreeSnapshot
    var nacks: [SessionCut.Refusal] = []
    /// When a client was seen last, as the clock's monotonic time.
    var seen: Int

    /// Takes in what has changed.
    mutating func apply(_ cut: SessionCut, seen: Int) {
      version = cut.version
      state = cut.state
      self.seen = seen
      tree.apply(cut.tree)
      for refusal in cut.nacks where !nacks.contains(where: { $0.isOfTheSame(as: refusal) }) { nacks.append(refusal) }
      nacks.removeAll { $0.nack.number <= cut.acknowledged[$0.client] ?? 0 }
      nacks.sort { ($0.client, $0.nack.number) < ($1.client, $1.nack.number) }
    }
  }

  private struct Content {
    var rows: [Int64: Row] = [:]
    var numbers: [ExactString: Int64] = [:]
    var lastRow: Int64 = 0
    /// The marks of the persons who were signed out.
    var signOuts: [PersonID: Int] = [:]

    /// A session that may be written with a lease.
    func row(_ lease: SessionLease) -> Row? { rows[lease.row].flatMap { $0.lease == lease.number ? $0 : nil } }

    mutating func remove(_ row: Int64) -> ForgottenSession? {
      guard let identity = rows.removeValue(forKey: row)?.identity else { return nil }
      numbers[identity.id] = nil
      return ForgottenSession(id: identity.id, app: identity.app)
    }
  }

  private let content = Mutex(Content())
  private let clock: TimeSource

  package let durability = Welcome.Durability.none
  package let outage = Outage.goesOn

  /// An empty store.
  ///
  /// - Parameter clock: what tells the time.
  package init(clock: TimeSource = .system) { self.clock = clock }

  package func begin(_ start: StoreStart) -> Int { start.number + 1 }

  /// No process outlives it.
  package func known(of entry: FlightEntry) -> (app: String, count: Int)? { nil }

  package func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    let (now, wall) = (clock.seconds, clock.wall())
    return content.withLock { content in requests.map { Self.perform($0, &content, now, wall: wall) } }
  }

  package func close() {}

  package func isShared(since time: UInt64) -> Bool { false }

  private static func perform(
    _ request: StoreRequest, _ content: inout Content, _ now: Int, wall: Int
  ) -> StoreResult {
    switch request {
    case .create(let identity, let cut): create(identity, cut, &content, now)
    case .write(let lease, let cut): write(lease, cut, &content, now)
    case .load(let id, let tokenHash, from: _): load(id, tokenHash, &content, now, wall: wall)
    case .resume(let resume): self.resume(resume, &content, now)
    case .remove(_, let lease):
      .removed(content.row(lease).flatMap { content.remove($0.number) } == nil ? 0 : 1)
    case .noteAbsence(_, let lease): noteAbsence(lease, &content, now)
    case .findExpired(let expiry):
      .expired(Array(content.rows.values.lazy.filter { isExpired($0, expiry, now) }.map(\.number).prefix(expiry.limit)))
    case .forget(let row, let expiry):
      .forgotten(content.rows[row].flatMap { isExpired($0, expiry, now) ? content.remove(row) : nil })
    case .signOut(let revocation, keeping: _): .signedOut(signOut(revocation, &content))
    // No other process shares this store, and its own process knows all revocations.
    case .findRevocations(let last): .revocations([], last: last)
    case .tidy: .tidied(isDone: true)
    case .probe: .noted
    case .measure: .measured(StoreMeasure(sessionCount: content.rows.count))
    }
  }

  // MARK: Writing

  private static func create(
    _ identity: SessionIdentity, _ cut: SessionCut, _ content: inout Content, _ now: Int
  ) -> StoreResult {
    if let row = content.numbers[identity.id] {
      return write(SessionLease(row: row, number: 1), cut, &content, now)
    }
    content.lastRow += 1
    let seen = now - seconds(cut.state.alone)
    let tree = TreeSnapshot(root: cut.tree.root, lastID: cut.tree.lastID, transactions: 0, nodes: [:])
    var row = Row(
      identity: identity, number: content.lastRow, version: cut.version, state: cut.state, tree: tree, seen: seen)
    row.apply(cut, seen: seen)
    content.rows[row.number] = row
    content.numbers[identity.id] = row.number
    return .written(SessionLease(row: row.number, number: 1))
  }

  private static func write(
    _ lease: SessionLease, _ cut: SessionCut, _ content: inout Content, _ now: Int
  ) -> StoreResult {
    guard let row = content.row(lease), row.version <= cut.version else { return .lost }
    content.rows[lease.row]?.apply(cut, seen: now - seconds(cut.state.alone))
    return .written(lease)
  }

  // MARK: Reading

  private static func find(_ id: String, _ content: Content, _ now: Int) -> Row? {
    guard let number = content.numbers[id], var row = content.rows[number] else { return nil }
    row.state.alone = .seconds(now - row.seen)
    row.state.revoke { person in content.signOuts[PersonID(person.identity)].map { person.since <= $0 } ?? false }
    return row
  }

  private static func load(
    _ id: String, _ tokenHash: String?, _ content: inout Content, _ now: Int, wall: Int
  ) -> StoreResult {
    guard let row = find(id, content, now) else { return .missing }
    guard row.state.admits(tokenHash, at: wall) else { return .denied(row.state) }
    let lease = take(row, &content)
    content.rows[lease.row]?.state.rest = nil
    return .loaded(
      StoredSession(
        identity: row.identity, lease: lease, state: row.state, tree: row.tree, nacks: row.nacks, crashes: []))
  }

  private static func resume(_ resume: SessionResume, _ content: inout Content, _ now: Int) -> StoreResult {
    guard let row = find(resume.sessionID, content, now) else { return .missing }
    switch row.state.readmission(of: resume, isHeldHere: true) {
    case .denied: return .denied(row.state)
    case .stale: return .stale
    case .mustLoad: return .mustLoad
    case .resting(let index):
      let lease = take(row, &content)
      var state = row.state
      state.clients[index].attempt = resume.attempt
      state.isHeld = true
      state.alone = .zero
      content.rows[lease.row]?.state = state
      content.rows[lease.row]?.seen = now
      let nacks = row.nacks.filter { $0.client == resume.clientID }.map(\.nack)
      return .resting(
        RestingSession(
          identity: row.identity, lease: lease, state: state, client: state.clients[index], nacks: nacks))
    }
  }

  /// Makes a session its reader's.
  private static func take(_ row: Row, _ content: inout Content) -> SessionLease {
    content.rows[row.number]?.lease = row.lease + 1
    content.rows[row.number]?.version = 0
    content.rows[row.number]?.state.isHeld = true
    return SessionLease(row: row.number, number: row.lease + 1)
  }

  // MARK: Leaving

  private static func signOut(_ revocation: Revocation, _ content: inout Content) -> Revocation {
    let mark = content.signOuts[revocation.person].map { max($0 + 1, revocation.mark) } ?? revocation.mark
    content.signOuts[revocation.person] = mark
    return Revocation(revocation.person, millisecond: revocation.millisecond, mark: mark)
  }

  private static func noteAbsence(_ lease: SessionLease, _ content: inout Content, _ now: Int) -> StoreResult {
    if content.row(lease) != nil {
      content.rows[lease.row]?.state.isHeld = false
      content.rows[lease.row]?.seen = now
    }
    return .noted
  }

  private static func isExpired(_ row: Row, _ expiry: SessionExpiry, _ now: Int) -> Bool {
    !row.state.isHeld && now - row.seen > seconds(row.state.hasActed ? expiry.acted : expiry.untouched)
  }

  private static func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }
}

extension SessionCut.Refusal {
  /// Whether both are about one action.
  fileprivate func isOfTheSame(as other: Self) -> Bool { client == other.client && nack.number == other.nack.number }
}
