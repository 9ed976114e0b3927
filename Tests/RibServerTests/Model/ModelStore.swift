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
  }

  private let rules: Set<ModelRule>
  /// What a reader finds.
  private(set) var written: [String: Row] = [:]
  /// What is left when the power is cut.
  private(set) var synced: [String: Row] = [:]
  private var rowCount: Int64 = 0
  /// Whether it fails.
  var isDown = false
  /// How often a server has died.
  var life = 1

  /// An empty store.
  init(_ rules: Set<ModelRule>) { self.rules = rules }

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    guard !isDown else { throw StoreError("The disk is full.") }
    return requests.map { perform($0) }
  }

  func sync() { synced = written }
  func losePower() { written = synced }

  private func perform(_ request: StoreRequest) -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      if let row = written[identity.id] {
        return row.lease.number == 1 ? perform(.write(row.lease, cut)) : .lost
      }
      rowCount += 1
      let lease = SessionLease(row: rowCount, number: 1)
      written[identity.id] = Row(
        identity: identity, lease: lease, state: cut.state, tree: TreeSnapshot(cut.tree), nacks: [], life: life)
      write(cut, identity.id)
      return .written(lease)
    case .write(let lease, let cut):
      guard let id = id(of: lease), written[id].map({ $0.version <= cut.version }) ?? false else { return .lost }
      write(cut, id)
      return .written(lease)
    case .load(let id, let tokenHash, _):
      guard var row = written[id] else { return .missing }
      guard row.state.admits(tokenHash) else { return .denied(row.state) }
      row.lease = SessionLease(row: row.lease.row, number: row.lease.number + 1)
      row.version = 0
      written[id] = row
      if row.life != life { row.state.rest = nil }
      return .loaded(
        StoredSession(
          identity: row.identity, lease: row.lease, state: row.state, tree: row.tree, nacks: row.nacks, crashes: []))
    case .remove(_, let lease):
      guard let id = id(of: lease) else { return .removed(0) }
      written[id] = nil
      return .removed(1)
    case .resume, .findExpired, .forget, .tidy, .noteAbsence, .probe: return .noted
    }
  }

  private func id(of lease: SessionLease) -> String? {
    written.first { _, row in
      rules.contains(.leaseChecked) ? row.lease == lease : row.lease.row == lease.row
    }?.key
  }

  private func write(_ cut: SessionCut, _ id: String) {
    guard var row = written[id] else { return }
    row.version = cut.version
    row.state = cut.state
    row.life = life
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
