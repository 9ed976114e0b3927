import RibCore
import Wire

@testable import RibServer

/// A store whose disk can be looked at: what is written is there for readers, and what is not synced is lost with the power.
///
/// It keeps what `SQLiteStore` keeps, and by the same leases.
final class ModelStore {
  /// A session as it is kept.
  struct Row {
    let identity: SessionIdentity
    var lease: SessionLease
    var version: Int64 = 0
    var state: SessionState
    var tree: TreeSnapshot
    var nacks: [SessionCut.Refusal]
    /// The life in which it was written.
    var life: Int
    /// The server that has it; 0 for none.
    var holder = 0
  }

  private let rules: Set<ModelRule>
  /// What a reader finds.
  private(set) var written: [String: Row] = [:]
  /// What is left when the power is cut.
  private(set) var synced: [String: Row] = [:]
  private var rowCount: Int64 = 0
  /// What sessions do while it fails.
  let outage: Outage
  /// Whether it fails.
  var isDown = false
  /// Whether it does what it is asked for when it fails, and only its answers are lost.
  var losesAnswers = false
  /// How often a server has died.
  var life = 1
  /// How often a client has come back to a session that rested on.
  private(set) var restingCount = 0

  /// An empty store.
  init(_ rules: Set<ModelRule>, _ outage: Outage) { (self.rules, self.outage) = (rules, outage) }

  /// Does what a server asks for, by the server's number.
  func perform(_ requests: [StoreRequest], for server: Int) throws(StoreError) -> [StoreResult] {
    guard !isDown || losesAnswers else { throw StoreError("The disk is full.") }
    let results = requests.map { perform($0, server) }
    guard !isDown else { throw StoreError("The connection was cut.") }
    return results
  }

  func sync() { synced = written }
  func losePower() { written = synced }

  private func perform(_ request: StoreRequest, _ server: Int) -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      if let row = written[identity.id] {
        return row.lease.number == 1 ? perform(.write(row.lease, cut), server) : .lost
      }
      rowCount += 1
      let lease = SessionLease(row: rowCount, number: 1)
      written[identity.id] = Row(
        identity: identity, lease: lease, state: cut.state, tree: TreeSnapshot(cut.tree), nacks: [], life: life)
      write(cut, identity.id, server)
      return .written(lease)
    case .write(let lease, let cut):
      guard let id = id(of: lease), written[id].map({ $0.version <= cut.version }) ?? false else { return .lost }
      write(cut, id, server)
      return .written(lease)
    case .load(let id, let tokenHash, _):
      guard var row = written[id] else { return .missing }
      guard row.state.admits(tokenHash, at: ModelWorld.wallClock) else { return .denied(row.state) }
      row.lease = SessionLease(row: row.lease.row, number: row.lease.number + 1)
      row.version = 0
      row.holder = server
      var awake = row
      awake.state.rest = nil
      written[id] = awake
      if row.life != life { row.state.rest = nil }
      return .loaded(
        StoredSession(
          identity: row.identity, lease: row.lease, state: row.state, tree: row.tree, nacks: row.nacks, crashes: []))
    case .remove(_, let lease):
      guard let id = id(of: lease) else { return .removed(0) }
      written[id] = nil
      return .removed(1)
    case .resume(let resume): return self.resume(resume, server)
    case .noteAbsence(_, let lease):
      if let id = id(of: lease) { written[id]?.holder = 0 }
      return .noted
    case .findExpired, .forget, .tidy, .probe: return .noted
    }
  }

  private func resume(_ resume: SessionResume, _ server: Int) -> StoreResult {
    guard var row = written[resume.sessionID] else { return .missing }
    if row.life != life { row.state.rest = nil }
    row.state.isHeld = row.holder != 0
    var resume = resume
    if !rules.contains(.allSeen), let rest = row.state.rest {
      resume = SessionResume(
        sessionID: resume.sessionID, clientID: resume.clientID, tokenHash: resume.tokenHash, attempt: resume.attempt,
        epoch: rest.epoch, revision: row.state.revision, program: resume.program)
    }
    switch row.state.readmission(of: resume, isHeldHere: row.holder == server) {
    case .denied: return .denied(row.state)
    case .stale: return .stale
    case .mustLoad: return .mustLoad
    case .resting(let index):
      row.lease = SessionLease(row: row.lease.row, number: row.lease.number + 1)
      (row.version, row.holder) = (0, server)
      if rules.contains(.tryCommitted) { row.state.clients[index].attempt = resume.attempt }
      written[resume.sessionID] = row
      restingCount += 1
      var client = row.state.clients[index]
      client.attempt = resume.attempt
      return .resting(
        RestingSession(
          identity: row.identity, lease: row.lease, state: row.state, client: client,
          nacks: row.nacks.filter { $0.client == resume.clientID }.map(\.nack)))
    }
  }

  private func id(of lease: SessionLease) -> String? {
    written.first { _, row in
      rules.contains(.leaseChecked) ? row.lease == lease : row.lease.row == lease.row
    }?.key
  }

  private func write(_ cut: SessionCut, _ id: String, _ server: Int) {
    guard var row = written[id] else { return }
    row.version = cut.version
    row.state = cut.state
    row.life = life
    row.holder = cut.state.isHeld ? server : 0
    if rules.contains(.wholeCommit) || row.state.revision % 3 > 0 { row.tree.apply(cut.tree) }
    if !rules.contains(.tryCommitted) {
      for index in row.state.clients.indices { row.state.clients[index].attempt = 0 }
    }
    row.nacks += cut.nacks
    for (client, number) in cut.acknowledged {
      row.nacks.removeAll { $0.client == client && $0.nack.number <= number }
    }
    written[id] = row
  }
}
