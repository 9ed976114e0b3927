import RibServer

/// What statements keep from others until they are committed.
///
/// Those of a store that only write sessions come in one message, with their commit. All others are followed by a second message, once their first
/// answers are there: until then the rows that they write are locked, and the names that they make are taken.
extension SimulatedDatabase {
  /// How long a commit is waited for, in nanoseconds, before what was locked for it is taken back: `idle_in_transaction_session_timeout`.
  static let idleLimit: UInt64 = 5_000_000_000

  /// What one statement has locked.
  final class Lock {
    /// The sessions.
    let names: Set<String>
    /// What waits for it.
    fileprivate var waiting: [() -> Void] = []

    fileprivate init(_ names: Set<String>) { self.names = names }
  }

  /// Whether a session is locked: those who free sessions skip it.
  func isLocked(_ row: Row) -> Bool { locks.contains { $0.names.contains(row.identity.id) } }

  /// Locks what a statement writes whose commit is late.
  ///
  /// - Parameters:
  ///   - requests: the statement's.
  ///   - node: who has sent them.
  /// - Returns: the lock, and those requests that write something; nil if none does, or if the statement would have to wait for another one.
  func lock(_ requests: [StoreRequest], by node: Int) -> (lock: Lock, requests: [StoreRequest])? {
    let names = names(lockedBy: requests, node)
    guard !names.isEmpty, obstacle(to: names) == nil else { return nil }
    let lock = Lock(names)
    locks.append(lock)
    return (lock, requests.filter { name(lockedBy: $0, node) != nil })
  }

  /// Ends a lock: what has waited for it is done.
  func unlock(_ lock: Lock) {
    locks.removeAll { $0 === lock }
    for action in lock.waiting { action() }
  }

  /// Does something as soon as none of some sessions is locked.
  ///
  /// - Parameters:
  ///   - names: which; asked again behind each lock.
  ///   - action: what to do.
  func whenUnlocked(_ names: @escaping () -> Set<String>, _ action: @escaping () -> Void) {
    guard !locks.isEmpty, let lock = obstacle(to: names()) else { return action() }
    lock.waiting.append { [self] in whenUnlocked(names, action) }
  }

  /// The sessions that requests write, or take.
  ///
  /// - Parameters:
  ///   - requests: a statement's.
  ///   - node: who has sent them.
  /// - Returns: their names.
  func names(lockedBy requests: [StoreRequest], _ node: Int) -> Set<String> {
    Set(requests.compactMap { name(lockedBy: $0, node) })
  }

  private func obstacle(to names: Set<String>) -> Lock? { locks.first { !$0.names.isDisjoint(with: names) } }

  private func name(lockedBy request: StoreRequest, _ node: Int) -> String? {
    let found: Row?
    switch request {
    case .create(let identity, _): return identity.id
    case .write(let lease, _), .remove(_, let lease), .noteAbsence(_, let lease): found = row(lease)
    case .forget(let number, let expiry): found = rows[number].flatMap { isExpired($0, expiry) ? $0 : nil }
    case .load(let id, _, let takeover): found = row(id, heldBy: node, or: takeover)
    case .resume(let resume): found = row(resume.sessionID, heldBy: node, or: .nobody)
    case .findExpired, .signOut, .findRevocations, .tidy, .probe, .measure: found = nil
    }
    return found?.identity.id
  }

  /// A session that nobody has, or somebody whom it may be taken from.
  private func row(_ id: String, heldBy node: Int, or takeover: Takeover) -> Row? {
    guard let row = names[id].flatMap({ rows[$0] }) else { return nil }
    return row.holder == 0 || row.holder == node || takeover.includes(row.holder) ? row : nil
  }
}

extension [StoreRequest] {
  /// Whether PostgreSQL gets them in one message, with their commit.
  var areOneMessage: Bool {
    allSatisfy { if case .write = $0 { true } else { false } }
  }
}
