import Foundation
import GRDB
import Wire

@testable import RibCore
@testable import RibServer

/// Sessions to be stored.
enum StoreSample {
  static func identity(_ id: String = "one") -> SessionIdentity {
    SessionIdentity(id: id, app: "app", parameters: #"{"text":"é\u0000"}"#)
  }

  static func client(_ id: Int = 1, number: Int = 0, scope: ShareScope = .act) -> ClientRecord {
    ClientRecord(id: id, tokenHash: "hash \(id)", attempt: 3, number: number, scope: scope)
  }

  static func state(
    revision: Int = 1, clients: [ClientRecord] = [client()], hasActed: Bool = true, isHeld: Bool = false,
    alone: Duration = .zero, rest: SessionState.Rest? = nil
  ) -> SessionState {
    SessionState(
      revision: revision, clients: clients, invitations: [], hasActed: hasActed, isHeld: isHeld, alone: alone,
      rest: rest)
  }

  static func node(_ id: NodeID, _ state: String? = "0", children: [String: [String: NodeID]] = [:]) -> NodeSnapshot {
    NodeSnapshot(id: id, type: "Node", version: 1, state: state, children: children, effects: [])
  }

  /// A cut of a tree whose root is 1.
  static func cut(
    _ state: SessionState = state(), changed: [NodeSnapshot] = [node(1)], removed: [NodeID] = [],
    transactions: UInt64 = 1, nacks: [SessionCut.Refusal] = [], acknowledged: [Int: Int] = [:],
    survived: [StoredSession.Crash] = [], version: Int64 = 1
  ) -> SessionCut {
    SessionCut(
      version: version, state: state,
      tree: TreeCut(
        root: 1, lastID: changed.map(\.id).max() ?? 1, transactions: transactions,
        changed: changed.map { NodeCut($0) }, removed: removed),
      nacks: nacks, acknowledged: acknowledged, survived: survived)
  }

  static func refusal(_ number: Int, client: Int = 1, _ message: String = "no") -> SessionCut.Refusal {
    SessionCut.Refusal(client: client, nack: Nack(number: number, code: .badAction, message: message))
  }
}

extension SessionStore {
  /// One request in a commit of its own.
  func perform(_ request: StoreRequest) throws -> StoreResult {
    let results = try perform([request])
    guard results.count == 1 else { throw StoreError("\(results.count) results") }
    return results[0]
  }

  /// Creates a session.
  func create(_ id: String = "one", _ cut: SessionCut = StoreSample.cut()) throws -> SessionLease {
    let result = try perform(.create(StoreSample.identity(id), cut))
    guard case .written(let lease) = result else { throw StoreError("\(result)") }
    return lease
  }

  /// Reads a session; nil if it is missing.
  ///
  /// - Throws: ``StoreError`` also if the token opens nothing there.
  func load(_ id: String = "one", _ tokenHash: String? = nil) throws -> StoredSession? {
    switch try perform(.load(sessionID: id, tokenHash: tokenHash)) {
    case .loaded(let session): return session
    case .missing: return nil
    case let other: throw StoreError("\(other)")
    }
  }

  /// Writes a session.
  ///
  /// - Returns: `written`, `lost` or `refused`.
  func write(_ lease: SessionLease, _ cut: SessionCut) throws -> String {
    switch try perform(.write(lease, cut)) {
    case .written(let same): return same == lease ? "written" : "another lease"
    case .lost: return "lost"
    case .refused: return "refused"
    case let other: return "\(other)"
    }
  }
}

extension SessionStore {
  /// Forgets sessions that were alone for more than so many seconds.
  ///
  /// - Parameters:
  ///   - acted: the seconds for sessions that were acted on.
  ///   - untouched: the seconds for the others.
  ///   - limit: how many at most.
  /// - Returns: their names.
  /// - Throws: ``StoreError``.
  func forgetOld(acted: Int, untouched: Int, limit: Int = 500) throws -> Set<String> {
    let expiry = SessionExpiry(acted: .seconds(acted), untouched: .seconds(untouched), limit: limit)
    guard case .expired(let rows) = try perform(.findExpired(expiry)) else { throw StoreError("nothing was found") }
    var names: Set<String> = []
    for row in rows {
      if case .forgotten(let session?) = try perform(.forget(row: row, expiry)) { names.insert(session.id) }
    }
    return names
  }
}

/// A directory that goes with the value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Where a server with this state directory keeps sessions.
  var store: String { "\(path)/\(SQLiteStore.fileName)" }
}

extension SQLiteStore {
  /// Begins as a process that finds others, and what those have left that died.
  func begin(after crashes: [FlightEntry] = [], as number: Int = 0, besides others: [Int] = []) throws {
    var start = StoreStart()
    (start.crashes, start.number, start.others) = (crashes, number, others)
    _ = try begin(start)
  }

  /// Has the file grow no further than so many pages, or than it is: as if the disk were full.
  func limitPages(to count: Int) {
    do {
      try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
