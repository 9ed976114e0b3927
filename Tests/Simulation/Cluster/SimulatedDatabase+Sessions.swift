import RibCore
import RibServer
import Wire

/// What belongs to one session.
extension SimulatedDatabase {
  // MARK: Writing

  func create(_ identity: SessionIdentity, _ cut: SessionCut, _ statement: Statement) -> StoreResult {
    if let number = names[identity.id] {
      guard let row = rows[number], row.lease == 1, row.holder == 0 || row.holder == statement.node else {
        return .lost
      }
      return write(row.currentLease, cut, statement)
    }
    let number = makeRow()
    let tree = TreeSnapshot(root: cut.tree.root, lastID: cut.tree.lastID, transactions: 0, nodes: [:])
    names[identity.id] = number
    rows[number] = Row(identity: identity, number: number, state: cut.state, tree: tree, seen: now)
    rows[number]?.past.wasTaken(by: statement, at: time.monotonic())
    return write(SessionLease(row: number, number: 1), cut, statement)
  }

  func write(_ lease: SessionLease, _ cut: SessionCut, _ statement: Statement) -> StoreResult {
    guard var row = row(lease), row.version <= cut.version else { return .lost }
    rules?.check(row, isWrittenBy: statement)
    if let gap = gap(between: row.tree, and: cut.tree) {
      rules?.noteGap(in: row, at: gap)
      return .lost
    }
    row.version = cut.version
    row.tree.apply(cut.tree)
    if cut.isProgress {
      row.state.revision = cut.state.revision
      for (index, client) in cut.state.clients.enumerated() where row.state.clients.indices.contains(index) {
        (row.state.clients[index].attempt, row.state.clients[index].number) = (client.attempt, client.number)
      }
    } else {
      row.state = cut.state
      row.holder = cut.state.isHeld ? statement.node : 0
      row.seen = now - Int(cut.state.alone.components.seconds)
    }
    for refusal in cut.nacks where !row.nacks.contains(where: { $0.isOfTheSame(as: refusal) }) {
      row.nacks.append(refusal)
    }
    row.nacks.removeAll { $0.nack.number <= cut.acknowledged[$0.client] ?? 0 }
    row.nacks.sort { ($0.client, $0.nack.number) < ($1.client, $1.nack.number) }
    for gone in cut.survived { row.crashes.removeAll { $0.client == gone.client && $0.number == gone.number } }
    row.past.wasWritten(by: statement, cut, at: time.monotonic())
    rows[row.number] = row
    noteCommitted(row.tree)
    return .written(lease)
  }

  /// A node of whose state changes are missing that come before those of a cut; nil for none.
  private func gap(between tree: TreeSnapshot, and cut: TreeCut) -> NodeID? {
    cut.changed.first { node in
      guard case .changed(let changes) = node.state, let first = changes.first else { return false }
      return tree.nodes[node.id].map { first.sequence > $0.changes.last + 1 } ?? true
    }?.id
  }

  // MARK: Reading

  private func find(_ id: String) -> Row? {
    guard let number = names[id], var row = rows[number] else { return nil }
    row.state.alone = .seconds(max(now - row.seen, 0))
    row.state.isHeld = row.holder != 0
    return row
  }

  func load(_ id: String, _ tokenHash: String?, from takeover: Takeover, _ statement: Statement) -> StoreResult {
    guard let row = find(id) else { return .missing }
    guard row.state.admits(tokenHash, at: time.wall()) else { return .denied(row.state) }
    let node = statement.node
    guard row.holder == 0 || row.holder == node || takeover.includes(row.holder) else {
      return held(row, from: node)
    }
    let move = rules?.check(row, isTakenBy: statement, from: takeover)
    let lease = take(row.number, statement, move)
    rows[row.number]?.state.rest = nil
    return .loaded(
      StoredSession(
        identity: row.identity, lease: lease, state: row.state, tree: row.tree, nacks: row.nacks, crashes: row.crashes))
  }

  func resume(_ resume: SessionResume, _ statement: Statement) -> StoreResult {
    guard let row = find(resume.sessionID) else { return .missing }
    switch row.state.readmission(of: resume, isHeldHere: row.holder == statement.node) {
    case .denied: return .denied(row.state)
    case .stale: return .stale
    case .mustLoad: return row.holder == 0 || row.holder == statement.node ? .mustLoad : held(row, from: statement.node)
    case .resting(let index):
      let lease = take(row.number, statement)
      var state = row.state
      state.clients[index].attempt = resume.attempt
      state.isHeld = true
      state.alone = .zero
      rows[row.number]?.state = state
      rows[row.number]?.seen = now
      let nacks = row.nacks.filter { $0.client == resume.clientID }.map(\.nack)
      return .resting(
        RestingSession(
          identity: row.identity, lease: lease, state: state, client: state.clients[index], nacks: nacks))
    }
  }

  /// Tells a node that another one has a session.
  private func held(_ row: Row, from node: Int) -> StoreResult {
    rows[row.number]?.past.wasRefused(to: node, by: row.holder, at: time.monotonic())
    return .held(by: row.holder)
  }

  /// Makes a session its reader's.
  private func take(_ number: Int64, _ statement: Statement, _ move: ClusterRules.Move? = nil) -> SessionLease {
    rows[number]?.lease += 1
    rows[number]?.version = 0
    rows[number]?.holder = statement.node
    rows[number]?.past.wasTaken(by: statement, move, at: time.monotonic())
    return rows[number]?.currentLease ?? SessionLease(row: number, number: 0)
  }
}

extension SessionCut.Refusal {
  /// Whether both are about one action.
  fileprivate func isOfTheSame(as other: Self) -> Bool { client == other.client && nack.number == other.nack.number }
}
