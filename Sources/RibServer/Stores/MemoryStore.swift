import RibCore
import Synchronization
import Wire

/// Keeps sessions in memory: those that are not used take less of it, and none outlives the process.
///
/// A session is in the store or with a server, never in both: it is not written but when it leaves a server's memory.
final class MemoryStore: SessionStore {
  private struct Content {
    var sessions: [String: (lease: SessionLease, session: StoredSession)] = [:]
    var lastRow: Int64 = 0
  }

  private let content = Mutex(Content())

  let durability = Welcome.Durability.none

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    content.withLock { content in requests.map { Self.perform($0, &content) } }
  }

  func close() {}

  private static func perform(_ request: StoreRequest, _ content: inout Content) -> StoreResult {
    switch request {
    case .create(let identity, let cut):
      content.lastRow += 1
      let lease = SessionLease(row: content.lastRow, number: 1)
      let session = StoredSession(
        identity: identity, lease: nil, state: cut.state, tree: TreeSnapshot(cut.tree), nacks: cut.nacks, crashes: [])
      content.sessions[identity.id] = (lease, session)
      return .written(lease)
    case .write: preconditionFailure("a session that is with a server is not in memory's store")
    case .load(let id, let tokenHash):
      guard let session = content.sessions[id]?.session else { return .missing }
      guard session.state.admits(tokenHash) else { return .denied(session.state) }
      content.sessions[id] = nil
      return .loaded(session)
    case .remove(let id, let lease):
      guard content.sessions[id]?.lease == lease else { return .removed(0) }
      content.sessions[id] = nil
      return .removed(1)
    case .expire(let expiry):
      let old = content.sessions.values.lazy.map(\.session)
        .filter { !$0.state.isHeld && $0.state.seen < ($0.state.hasActed ? expiry.acted : expiry.untouched) }
        .prefix(expiry.limit).map(\.identity.id)
      let ids = Array(old)
      for id in ids { content.sessions[id] = nil }
      return .removed(ids.count)
    case .noteAbsence(let id, let lease, let now):
      guard content.sessions[id]?.lease == lease else { return .noted }
      content.sessions[id]?.session.state.isHeld = false
      content.sessions[id]?.session.state.seen = now
      return .noted
    case .probe: return .noted
    }
  }
}
