import RibCore
import Synchronization
import Wire

/// Keeps sessions in memory: those that are not used take less of it, and none outlives the process.
///
/// A session is in the store or with a server, never in both: it is not written but when it leaves a server's memory.
final class MemoryStore: SessionStore {
  private let sessions = Mutex<[String: StoredSession]>([:])

  let durability = Welcome.Durability.none

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    sessions.withLock { sessions in requests.map { Self.perform($0, &sessions) } }
  }

  func close() {}

  private static func perform(_ request: StoreRequest, _ sessions: inout [String: StoredSession]) -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      sessions[identity.id] = StoredSession(
        identity: identity, lease: nil, state: cut.state, tree: TreeSnapshot(cut.tree), nacks: cut.nacks, crashes: [])
      return .written(SessionLease(row: 0, number: 0))
    case .write, .remove: preconditionFailure("a session that is with a server is not in memory's store")
    case .load(let id):
      return sessions.removeValue(forKey: id).map { .loaded($0) } ?? .missing
    case .expire(let expiry):
      let old = sessions.values.lazy
        .filter { !$0.state.isConnected && $0.state.seen < ($0.state.hasActed ? expiry.acted : expiry.untouched) }
        .prefix(expiry.limit).map(\.identity.id)
      let ids = Array(old)
      for id in ids { sessions[id] = nil }
      return .removed(ids.count)
    case .noteAbsence(let id, _, let now):
      sessions[id]?.state.isConnected = false
      sessions[id]?.state.seen = now
      return .noted
    case .probe: return .noted
    }
  }
}
