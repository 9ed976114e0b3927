import GRDB
import RibCore
import Wire

// What belongs to one session.

extension SQLiteStore {
  func create(
    _ identity: SessionIdentity, _ cut: SessionCut, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    let state = cut.state
    guard try !isAnyRevoked(state.clients, statements) else { return .lost }
    guard try !isOverQuota(identity, cut, statements) else { return .overQuota }
    var row: Int64?
    try statements.insertSession.rows(
      .text(identity.id), .text(identity.app), .optional(identity.parameters), .integer(cut.version),
      .integer(state.revision), .integer(cut.tree.root), .integer(cut.tree.lastID),
      .integer(Int64(cut.tree.transactions)), .utf8(state.clientsJSON), .text(state.invitationsJSON),
      .flag(state.hasActed), .integer(state.isHeld ? holder : 0), .integer(seen(state)), .optional(state.rest?.epoch),
      .optional(state.rest?.viewHash), .integer(holder), .optional(state.rest?.program),
      .optional(identity.place)
    ) { row = Int64($0.integer(0)) }
    guard let row else { return .lost }
    try statements.deleteProgress.run(.integer(row))
    try notePersons(in: state.clients, of: row, statements)
    try write(cut, row, statements, database)
    return .written(SessionLease(row: row, number: 1))
  }

  func write(
    _ cut: SessionCut, _ lease: SessionLease, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    guard !cut.isProgress else { return try writeProgress(cut, lease, statements, database) }
    let state = cut.state
    guard try !isAnyRevoked(state.clients, statements) else { return .lost }
    try statements.updateSession.run(
      .integer(state.revision), .integer(cut.tree.root), .integer(cut.tree.lastID),
      .integer(Int64(cut.tree.transactions)), .utf8(state.clientsJSON), .text(state.invitationsJSON),
      .flag(state.hasActed), .integer(state.isHeld ? holder : 0), .integer(seen(state)), .optional(state.rest?.epoch),
      .optional(state.rest?.viewHash), .integer(lease.row), .integer(lease.number), .integer(cut.version),
      .optional(state.rest?.program))
    guard database.changesCount == 1 else { return .lost }
    try statements.deleteProgress.run(.integer(lease.row))
    try notePersons(in: state.clients, of: lease.row, statements)
    try write(cut, lease.row, statements, database)
    return .written(lease)
  }

  private func writeProgress(
    _ cut: SessionCut, _ lease: SessionLease, _ statements: Statements, _ database: Database
  ) throws -> StoreResult {
    cut.state.writeNumbers(into: &numbers)
    try runProgress(statements.updateProgress, cut, lease)
    if database.changesCount == 0 {
      // The first since the session's own row was written.
      try runProgress(statements.insertProgress, cut, lease)
      guard database.changesCount == 1 else { return .lost }
    }
    try write(cut, lease.row, statements, database)
    return .written(lease)
  }

  private func runProgress(_ statement: SQLiteStatement, _ cut: SessionCut, _ lease: SessionLease) throws {
    try statement.bind(cut.state.revision, at: 1)
    try statement.bind(cut.tree.root, at: 2)
    try statement.bind(cut.tree.lastID, at: 3)
    try statement.bind(Int(cut.tree.transactions), at: 4)
    try statement.bind(Int(cut.version), at: 6)
    try statement.bind(Int(lease.row), at: 7)
    try statement.bind(Int(lease.number), at: 8)
    try numbers.withUnsafeBufferPointer { bytes in
      try statement.bind(borrowed: bytes, at: 5)
      try statement.runOnce()
    }
  }

  private func seen(_ state: SessionState) -> Int { time.now(clock) - Int(state.alone.components.seconds) }

  private func write(_ cut: SessionCut, _ row: Int64, _ statements: Statements, _ database: Database) throws {
    try Self.write(cut.tree, row, statements, database)
    for refusal in cut.nacks {
      try statements.insertNack.run(
        .integer(row), .integer(refusal.client), .integer(refusal.nack.number), .text(refusal.nack.code.rawValue),
        .text(refusal.nack.message))
    }
    for (client, number) in cut.acknowledged {
      try statements.deleteNacks.run(.integer(row), .integer(client), .integer(number))
    }
    for crash in cut.survived {
      try statements.deleteCrash.run(.integer(row), .integer(crash.client), .integer(crash.number))
    }
  }

  // MARK: Reading

  private func find(_ id: String, _ statements: Statements) throws -> SessionRow? {
    var found: SessionRow?
    let now = time.now(clock)
    try statements.selectSession.rows(.text(id)) { row in
      var rest: SessionState.Rest?
      if let epoch = row.optionalText(13), let hash = row.optionalText(14), row.integer(15) != 0 {
        rest = SessionState.Rest(epoch: epoch, viewHash: hash, program: row.optionalText(16))
      }
      guard let transactions = UInt64(exactly: row.integer(7)) else {
        throw StoreError("The session has done \(row.integer(7)) transactions.", isGlobal: false)
      }
      found = SessionRow(
        identity: SessionIdentity(id: id, app: row.text(2), parameters: row.optionalText(3)),
        lease: SessionLease(row: Int64(row.integer(0)), number: Int64(row.integer(1))), holder: row.integer(11),
        state: SessionState(
          revision: row.integer(4), clients: try [ClientRecord](json: row.text(8), numbers: row.optionalText(17)),
          invitations: try [Invitation](json: row.text(9)), hasActed: row.integer(10) != 0,
          isHeld: row.integer(11) != 0, alone: .seconds(max(now - row.integer(12), 0)), rest: rest),
        tree: TreeSnapshot(root: row.integer(5), lastID: row.integer(6), transactions: transactions, nodes: [:]))
    }
    if var state = found?.state {
      try markRevoked(in: &state, statements)
      found?.state = state
    }
    return found
  }

  func load(_ id: String, _ tokenHash: String?, _ statements: Statements) throws -> StoreResult {
    let session: StoredSession
    do {
      guard let found = try find(id, statements) else { return .missing }
      guard found.state.admits(tokenHash, at: clock.wall()) else { return .denied(found.state) }
      session = try read(found, statements)
    } catch let error where Self.isOfWhatIsRead(error) {
      return .refused(StoreError(error, isGlobal: false))
    }
    // From here on no other process can write it; and what is shown from here on is counted anew if it is lost.
    try statements.takeSession.run(
      .integer(session.lease.number), .integer(holder), .integer(session.state.revision), .integer(session.tree.root),
      .integer(session.tree.lastID), .integer(Int64(session.tree.transactions)), .utf8(session.state.clientsJSON),
      .text(session.state.invitationsJSON), .integer(session.lease.row))
    try statements.deleteProgress.run(.integer(session.lease.row))
    return .loaded(session)
  }

  /// Whether a session is damaged, and others are not concerned, as nothing was changed.
  private static func isOfWhatIsRead(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return true }
    return error.resultCode == .SQLITE_CORRUPT
  }

  private func read(_ found: SessionRow, _ statements: Statements) throws -> StoredSession {
    let lease = found.nextLease
    var tree = found.tree
    tree.nodes = try Self.loadNodes(of: lease.row, statements)
    var crashes: [StoredSession.Crash] = []
    try statements.selectCrashes.rows(.integer(lease.row)) { row in
      crashes.append(StoredSession.Crash(client: row.integer(0), number: row.integer(1), count: row.integer(2)))
    }
    return StoredSession(
      identity: found.identity, lease: lease, state: found.state, tree: tree, nacks: try nacks(lease.row, statements),
      crashes: crashes)
  }

  private func nacks(_ row: Int64, _ statements: Statements) throws -> [SessionCut.Refusal] {
    var nacks: [SessionCut.Refusal] = []
    try statements.selectNacks.rows(.integer(row)) { row in
      let code = Nack.Code(rawValue: row.text(2)) ?? .failed
      nacks.append(
        SessionCut.Refusal(
          client: row.integer(0), nack: Nack(number: row.integer(1), code: code, message: row.text(3))))
    }
    return nacks
  }

  func resume(_ resume: SessionResume, _ statements: Statements) throws -> StoreResult {
    let resting: RestingSession
    do {
      guard let found = try find(resume.sessionID, statements) else { return .missing }
      switch found.state.readmission(of: resume, isHeldHere: found.holder == holder) {
      case .denied: return .denied(found.state)
      case .stale: return .stale
      case .mustLoad: return .mustLoad
      case .resting(let index):
        var state = found.state
        state.clients[index].attempt = resume.attempt
        state.isHeld = true
        state.alone = .zero
        let nacks = try nacks(found.lease.row, statements).filter { $0.client == resume.clientID }
        resting = RestingSession(
          identity: found.identity, lease: found.nextLease, state: state, client: state.clients[index],
          nacks: nacks.map(\.nack))
      }
    } catch let error where Self.isOfWhatIsRead(error) {
      return .refused(StoreError(error, isGlobal: false))
    }
    try statements.resumeSession.run(
      .integer(resting.lease.number), .integer(holder), .integer(time.now(clock)), .utf8(resting.state.clientsJSON),
      .text(resting.state.invitationsJSON), .integer(resting.lease.row))
    try statements.deleteProgress.run(.integer(resting.lease.row))
    return .resting(resting)
  }

  // MARK: Leaving

  func remove(_ lease: SessionLease, _ statements: Statements, _ database: Database) throws -> StoreResult {
    try statements.deleteSession.run(.integer(lease.row), .integer(lease.number))
    return .removed(database.changesCount)
  }

  func noteAbsence(_ lease: SessionLease, _ statements: Statements) throws -> StoreResult {
    try statements.noteAbsence.run(.integer(time.now(clock)), .integer(lease.row), .integer(lease.number))
    return .noted
  }
}
