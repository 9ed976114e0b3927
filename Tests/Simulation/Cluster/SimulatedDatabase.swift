import RibCore
package import RibServer
import Wire

/// The database that the nodes of a simulated cluster share: it does to each request what PostgreSQL's tables do.
///
/// What is committed survives everything; whether a statement arrives, and when, is the ``DatabaseClient``'s. Nobody signs in where it is used.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
package final class SimulatedDatabase: @unchecked Sendable {
  /// A session as it is kept.
  struct Row {
    let identity: SessionIdentity
    let number: Int64
    var lease: Int64 = 1
    var version: Int64 = 0
    /// The node that has it; 0 for none.
    var holder = 0
    /// Its ``SessionState/isHeld`` and ``SessionState/alone`` are not kept up.
    var state: SessionState
    var tree: TreeSnapshot
    var nacks: [SessionCut.Refusal] = []
    /// What ran when nodes died.
    var crashes: [StoredSession.Crash] = []
    /// When a client was seen last, in seconds of the database's time.
    var seen: Int
    /// What the rules look at.
    var past = SessionPast()

    /// The right to write it.
    var currentLease: SessionLease { SessionLease(row: number, number: lease) }
  }

  /// A node as it is kept.
  struct NodeRow {
    var node: ClusterNode
    /// By what its successor knows it.
    let mark: Int
    /// When it was there last, in seconds of the database's time.
    var seen: Int
  }

  let time: TimeSource
  var rows: [Int64: Row] = [:]
  var names: [String: Int64] = [:]
  private var lastRow: Int64 = 0
  var nodes: [Int: NodeRow] = [:]
  private var lastNode = 0
  var lastBeat = 0
  /// The values that all nodes share, by name, and the last write of each node to each.
  var values: [String: NamedValue] = [:]
  var writes: [String: [Int: Int]] = [:]
  /// What statements have locked that are not committed yet.
  var locks: [Lock] = []
  /// The actions that are in a state that is committed, by name.
  private(set) var committed: Set<Int> = []
  /// What judges the nodes; nil for nothing.
  let rules: ClusterRules?

  /// A database with nothing in it, which nobody judges.
  ///
  /// - Parameter time: what its time goes by.
  package convenience init(_ time: TimeSource) { self.init(time, nil) }

  /// A database with nothing in it.
  ///
  /// - Parameters:
  ///   - time: what its time goes by.
  ///   - rules: what judges the nodes.
  init(_ time: TimeSource, _ rules: ClusterRules?) { (self.time, self.rules) = (time, rules) }

  /// Its time: seconds.
  var now: Int { time.seconds }

  /// A session that may be written with a lease.
  func row(_ lease: SessionLease) -> Row? { rows[lease.row].flatMap { $0.lease == lease.number ? $0 : nil } }

  /// Takes note that a node starts.
  ///
  /// - Parameter start: what it has found.
  /// - Returns: its number.
  package func begin(_ start: StoreStart) -> Int {
    for (id, row) in nodes where start.predecessors.contains(row.mark) { nodes[id]?.node.isSucceeded = true }
    for entry in start.crashes { note(entry) }
    lastNode += 1
    nodes[lastNode] = NodeRow(node: ClusterNode(id: lastNode, program: ""), mark: start.mark, seen: now)
    return lastNode
  }

  private func note(_ entry: FlightEntry) {
    guard let number = names[entry.sessionID] else { return }
    let count = crash(entry, of: number)?.count ?? 0
    rows[number]?.crashes.removeAll { $0.client == entry.client && $0.number == entry.number }
    rows[number]?.crashes.append(StoredSession.Crash(client: entry.client, number: entry.number, count: count + 1))
  }

  private func crash(_ entry: FlightEntry, of number: Int64) -> StoredSession.Crash? {
    rows[number]?.crashes.first { $0.client == entry.client && $0.number == entry.number }
  }

  /// What it has about something that ran when a node died.
  package func known(of entry: FlightEntry) -> (app: String, count: Int)? {
    guard let number = names[entry.sessionID], let row = rows[number], let crash = crash(entry, of: number) else {
      return nil
    }
    return (row.identity.app, crash.count)
  }

  /// The sessions that a node has.
  func names(heldBy node: Int) -> Set<String> { Set(rows.values.filter { $0.holder == node }.map(\.identity.id)) }

  /// A node ends in order: its sessions are free.
  func end(_ node: Int) {
    for (number, row) in rows where row.holder == node { release(number) }
    nodes[node] = nil
  }

  /// Does what is asked for, in order and in one commit.
  ///
  /// - Parameters:
  ///   - requests: what.
  ///   - statement: how they have come.
  /// - Returns: one result a request.
  package func perform(_ requests: [StoreRequest], _ statement: Statement) -> [StoreResult] {
    requests.map { perform($0, statement) }
  }

  private func perform(_ request: StoreRequest, _ statement: Statement) -> StoreResult {
    switch request {
    case .create(let identity, let cut): create(identity, cut, statement)
    case .write(let lease, let cut): write(lease, cut, statement)
    case .load(let id, let tokenHash, let takeover): load(id, tokenHash, from: takeover, statement)
    case .resume(let resume): self.resume(resume, statement)
    case .remove(_, let lease): .removed(row(lease).flatMap { remove($0.number) } == nil ? 0 : 1)
    case .noteAbsence(_, let lease): noteAbsence(lease)
    case .findExpired(let expiry):
      .expired(rows.values.filter { isExpired($0, expiry) }.map(\.number).sorted().prefix(expiry.limit).map { $0 })
    case .forget(let number, let expiry):
      .forgotten(rows[number].flatMap { isExpired($0, expiry) ? remove(number) : nil })
    case .signOut: .refused(StoreError("Nobody signs in to a simulated cluster.", isGlobal: false))
    case .findRevocations(let last): .revocations([], last: last)
    case .tidy: .tidied(isDone: true)
    case .probe: .noted
    case .measure: .measured(StoreMeasure(sessionCount: rows.count))
    }
  }

  private func noteAbsence(_ lease: SessionLease) -> StoreResult {
    if row(lease) != nil { release(lease.row) }
    return .noted
  }

  private func release(_ number: Int64) {
    rows[number]?.holder = 0
    rows[number]?.seen = now
  }

  func isExpired(_ row: Row, _ expiry: SessionExpiry) -> Bool {
    let limit = row.state.hasActed ? expiry.acted : expiry.untouched
    return row.holder == 0 && now - row.seen > Int(limit.components.seconds)
  }

  private func remove(_ number: Int64) -> ForgottenSession? {
    guard let identity = rows.removeValue(forKey: number)?.identity else { return nil }
    names[identity.id] = nil
    return ForgottenSession(id: identity.id, app: identity.app)
  }

  /// The number of the next session.
  func makeRow() -> Int64 {
    lastRow += 1
    return lastRow
  }

  /// Takes note of what is done in a state that is committed.
  func noteCommitted(_ tree: TreeSnapshot) {
    guard let text = tree.nodes[tree.root]?.state, let state = try? JSONValue(parsing: text),
      case .array(let names)? = state["done"]
    else { return }
    for case .integer(let name) in names { committed.insert(Int(name)) }
  }
}

/// How a request has come to the database.
package final class Statement {
  /// The node that has sent it; 0 for one that has no number yet.
  let node: Int
  /// Counts those of all nodes, in the order in which they were sent.
  let number: Int
  /// When it was sent, in nanoseconds.
  let time: UInt64

  /// A request.
  ///
  /// - Parameters:
  ///   - number: among those of all nodes, in the order in which they are sent.
  ///   - node: who sends it.
  ///   - time: when, in nanoseconds.
  package init(_ number: Int, by node: Int, at time: UInt64) {
    (self.number, self.node, self.time) = (number, node, time)
  }
}
