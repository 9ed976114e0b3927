import RibCore
import Synchronization
import Wire

/// The sessions of a server that are in memory, by their ids: a client that comes back may have been handed to any loop.
///
/// A ``SessionFinder`` looks for them here. `Member` is whatever runs a session.
final class SessionRegistry<Member: AnyObject & Sendable>: Sendable {
  /// A session that was looked for.
  enum Found: Sendable {
    /// It is in memory.
    case awake(Member)
    /// It rests on, and the client that has come back to it sleeps: only one is told so that has come back.
    case resting(RestingSession, Sleeper)
    /// Another node has it, and goes on with it.
    case elsewhere(Int)
  }

  /// Called with a session that was looked for, or with why there is none.
  typealias Waiter = @Sendable (Result<Found, Ending>) -> Void

  private enum Entry {
    /// It is in memory.
    case live(Member)
    /// The store has been asked for it, for the first of these; the others wait.
    case loading([Seeker])
  }

  /// A client that looks for a session.
  private struct Seeker {
    /// What it shows for it.
    let claim: SessionClaim
    var tokenHash: String? { claim.tokenHash }
    /// What it comes back with; nil if it needs the session in memory.
    let resume: SessionResume?
    let waiter: Waiter
  }

  /// What becomes of a search.
  enum Search {
    /// It is in memory.
    case found(Member)
    /// The store has been asked for somebody else: the waiter will be called.
    case waits
    /// The store has to be asked this, and its answer be told to the registry.
    case mustAsk(StoreRequest)
  }

  private let entries = Mutex<[ExactString: Entry]>([:])
  /// The clients that are connected to sessions that are not in memory.
  private let dormant = Mutex<[ExactString: Dormant]>([:])
  /// The sessions that bells wake.
  private let waking = Mutex(WakeQueue())

  /// A session that is not in memory, and has clients connected.
  private struct Dormant {
    /// The clients, and what tells each that the session is there, or is to be brought there.
    var sleepers: [(sleeper: Sleeper, call: @Sendable (SleeperCall) -> Void)] = []
    /// What rings when the session is to be woken.
    var bells: [BellToken] = []

    /// Takes a client in.
    ///
    /// - Returns: what tells those that were overtaken: connections of the same client, or the client itself.
    mutating func add(
      _ sleeper: Sleeper, _ call: @escaping @Sendable (SleeperCall) -> Void
    ) -> [@Sendable (SleeperCall) -> Void] {
      sleepers.removeAll { $0.sleeper === sleeper }
      for other in sleepers {
        other.sleeper.renew(sleeper.lease)
        sleeper.renew(other.sleeper.lease)
      }
      let same = sleepers.filter { $0.sleeper.client == sleeper.client }
      guard same.allSatisfy({ $0.sleeper.attempt <= sleeper.attempt }) else { return [call] }
      sleepers.removeAll { $0.sleeper.client == sleeper.client }
      sleepers.append((sleeper, call))
      return same.map(\.call)
    }
  }

  private let leftCount = Atomic(0)

  /// How many sessions have left memory since this was asked last.
  func takeLeftCount() -> Int { leftCount.exchange(0, ordering: .relaxed) }

  /// The number of sessions that are in memory, or on their way there.
  var count: Int { entries.withLock { $0.count } }

  /// The number of sessions that are not in memory and have a client connected.
  var sleepingCount: Int { dormant.withLock { $0.count } }

  /// A session that is in memory; nil also while another thread looks for one.
  func peek(_ id: String) -> Member? {
    let entry = entries.withLockIfAvailable { $0[id] } ?? nil
    guard case .live(let member)? = entry else { return nil }
    return member
  }

  /// Makes a session known by its name.
  func add(_ member: Member, _ id: String) { entries.withLock { $0[id] = .live(member) } }

  /// Forgets a session, if it is still the one of its name.
  func remove(_ member: Member, _ id: String) {
    entries.withLock { entries in
      if case .live(let other)? = entries[id], other === member { entries[id] = nil }
    }
    leftCount.add(1, ordering: .relaxed)
  }

  /// Looks for a session.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - claim: what the client shows for it.
  ///   - resume: what the client comes back with, if it need not be in memory for it.
  ///   - waiter: called once it is there, or is known not to be, if that takes time; on any thread.
  /// - Returns: what becomes of it.
  func find(
    _ id: String, _ claim: SessionClaim, resuming resume: SessionResume? = nil, _ waiter: @escaping Waiter
  ) -> Search {
    let seeker = Seeker(claim: claim, resume: resume, waiter: waiter)
    let search = entries.withLock { entries -> Search in
      switch entries[id] {
      case .live(let member)?:
        return .found(member)
      case .loading(var seekers)?:
        // So that there is one owner while it grows.
        entries[id] = .loading([])
        seekers.append(seeker)
        entries[id] = .loading(seekers)
        return .waits
      case nil:
        entries[id] = .loading([seeker])
        return .mustAsk(Self.request([seeker], for: id, isOpened: false))
      }
    }
    if case .found = search { wakeEnded(id) }
    return search
  }

  /// What the store is to be asked.
  ///
  /// - Parameters:
  ///   - seekers: the clients that wait; one at least.
  ///   - id: the session's name.
  ///   - isOpened: whether their tokens open the session.
  /// - Returns: to load it, or to let the first one come back while it rests.
  private static func request(_ seekers: [Seeker], for id: String, isOpened: Bool) -> StoreRequest {
    // Once it is in memory it is so for all.
    guard let resume = seekers[0].resume, seekers.allSatisfy({ $0.resume != nil }) else {
      return .load(sessionID: id, tokenHash: isOpened ? nil : seekers[0].tokenHash, from: .nobody)
    }
    return .resume(resume)
  }

  /// What the client has shown that the store was asked for.
  ///
  /// - Parameter id: the session's name.
  /// - Returns: its claim, which is forced if any is; an empty one if nobody waits.
  func firstClaim(of id: String) -> SessionClaim {
    entries.withLock { entries in
      guard case .loading(let seekers)? = entries[id], var claim = seekers.first?.claim else { return SessionClaim() }
      claim.isForced = seekers.contains { $0.claim.isForced }
      return claim
    }
  }

  /// Where a session is in this process.
  enum Whereabouts {
    /// It is in memory.
    case awake(Member)
    /// It is on its way there.
    case awaited
    /// It is not; clients may sleep.
    case elsewhere
  }

  /// Where a session is in this process.
  ///
  /// - Parameter id: its name.
  /// - Returns: where.
  func whereabouts(of id: String) -> Whereabouts {
    switch entries.withLock({ $0[id] }) {
    case .live(let member)?: .awake(member)
    case .loading?: .awaited
    case nil: .elsewhere
    }
  }

  /// Ends the search of the client that the store was asked for, and goes on with those that wait.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - result: what that client is told.
  /// - Returns: what the store is to be asked next; nil if nobody waits.
  func answerFirst(_ id: String, _ result: Result<Found, Ending>) -> StoreRequest? {
    let (first, next) = entries.withLock { entries -> (Seeker?, StoreRequest?) in
      guard case .loading(let seekers)? = entries[id], let first = seekers.first else { return (nil, nil) }
      let rest = Array(seekers.dropFirst())
      entries[id] = rest.isEmpty ? nil : .loading(rest)
      return (first, rest.isEmpty ? nil : Self.request(rest, for: id, isOpened: false))
    }
    first?.waiter(result)
    return next
  }

  /// Ends a search, for all who wait.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - result: the session, or where it is, or why there is none.
  func finish(_ id: String, _ result: Result<Found, Ending>) {
    let seekers = entries.withLock { entries -> [Seeker] in
      guard case .loading(let seekers)? = entries[id] else { return [] }
      if case .success(.awake(let member)) = result { entries[id] = .live(member) } else { entries[id] = nil }
      return seekers
    }
    for seeker in seekers { seeker.waiter(result) }
    if case .success(.awake) = result {
      let woken = dormant.withLock { $0.removeValue(forKey: ExactString(id)) }
      for sleeper in woken?.sleepers ?? [] { sleeper.call(.wake) }
    } else if waking.withLock({ $0.isWaking(id) }) {
      // The bell has rung for the others, too: the next one tries.
      return didNotWake(id)
    }
    wakeEnded(id)
  }

  /// Ends the searches of those whose tokens open nothing.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - state: what of it says whom it admits.
  ///   - now: seconds since 1970.
  ///   - ending: what they are told.
  /// - Returns: what the store is to be asked for those that wait and whom it admits; nil if there are none.
  func deny(_ id: String, by state: SessionState, at now: Int, _ ending: Ending) -> StoreRequest? {
    let (denied, next) = entries.withLock { entries -> ([Seeker], StoreRequest?) in
      guard case .loading(let seekers)? = entries[id] else { return ([], nil) }
      // In order.
      var (admitted, denied): ([Seeker], [Seeker]) = ([], [])
      for (place, seeker) in seekers.enumerated() {
        // The one that was asked for may have the token of another client.
        if place > 0, state.admits(seeker.tokenHash, at: now) { admitted.append(seeker) } else { denied.append(seeker) }
      }
      entries[id] = admitted.isEmpty ? nil : .loading(admitted)
      return (denied, admitted.isEmpty ? nil : Self.request(admitted, for: id, isOpened: true))
    }
    for seeker in denied { seeker.waiter(.failure(ending)) }
    return next
  }

  // MARK: Sleepers

  /// Has a client told when its session is in memory again; at once, if it is by now.
  ///
  /// - Parameters:
  ///   - sleeper: the client; if it sleeps already, it is called otherwise from now on.
  ///   - call: called once, on any thread.
  func add(_ sleeper: Sleeper, _ call: @escaping @Sendable (SleeperCall) -> Void) {
    let id = sleeper.sessionID
    // Outside of the lock.
    for overtaken in dormant.withLock({ $0[ExactString(id), default: Dormant()].add(sleeper, call) }) {
      overtaken(.overtaken)
    }
    let isThere = entries.withLock { if case .live? = $0[id] { true } else { false } }
    if isThere, take(sleeper) { call(.wake) }
  }

  /// Forgets a client, which will not be told then.
  ///
  /// - Parameter sleeper: the client.
  /// - Returns: false if it is being told.
  func take(_ sleeper: Sleeper) -> Bool {
    let (isTaken, _) = dormant.withLock { dormant -> (Bool, [BellToken]) in
      let id = sleeper.sessionID
      guard let place = dormant[id]?.sleepers.firstIndex(where: { $0.sleeper === sleeper }) else { return (false, []) }
      dormant[id]?.sleepers.remove(at: place)
      guard dormant[id]?.sleepers.isEmpty == true else { return (true, []) }
      // The bells are let go of outside of the lock.
      return (true, dormant.removeValue(forKey: ExactString(id))?.bells ?? [])
    }
    return isTaken
  }

  /// Forgets a client.
  ///
  /// - Parameter sleeper: the client.
  /// - Returns: whether no other client of its session is left.
  func remove(_ sleeper: Sleeper) -> Bool {
    _ = take(sleeper)
    return dormant.withLock { $0[sleeper.sessionID] == nil }
  }

  /// The newest leases that are known of sessions whose clients sleep.
  var sleepingLeases: [SessionLease] { dormant.withLock { $0.values.compactMap { $0.sleepers.first?.sleeper.lease } } }

  /// Tells clients that sleep that their sessions have gone on elsewhere.
  ///
  /// - Parameter leases: which are void.
  func letGo(_ leases: [SessionLease]) {
    let voided = Dictionary(leases.map { ($0.row, $0.number) }) { first, _ in first }
    let (calls, bells) = dormant.withLock { dormant -> ([@Sendable (SleeperCall) -> Void], [BellToken]) in
      var (calls, bells): ([@Sendable (SleeperCall) -> Void], [BellToken]) = ([], [])
      // One that is on its way into memory has another lease by this node's own doing.
      let awaited = entries.withLock { Set($0.keys) }
      for (id, session) in dormant where !awaited.contains(id) {
        guard let lease = session.sleepers.first?.sleeper.lease, voided[lease.row] == lease.number else { continue }
        calls += session.sleepers.map(\.call)
        // The bells are let go of outside of the lock.
        bells += session.bells
        dormant[id] = nil
      }
      return (calls, bells)
    }
    withExtendedLifetime(bells) { for call in calls { call(.moved) } }
  }

  /// Lets go of a session that rests, if nobody sleeps for it but the client that wants it elsewhere.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - claim: what the client has shown there.
  ///   - mayMove: whether it may; false if it stays for that one, too.
  /// - Returns: whether nobody sleeps for it any more.
  func letGo(of id: String, to claim: SessionClaim, mayMove: Bool) -> Bool {
    let gone = dormant.withLock { dormant -> Dormant? in
      guard let session = dormant[id] else { return Dormant() }
      let isAlone = session.sleepers.allSatisfy { sleeper, _ in
        claim.client == sleeper.client && claim.attempt.map { $0 > sleeper.attempt } == true
      }
      return isAlone && mayMove ? dormant.removeValue(forKey: ExactString(id)) : nil
    }
    // The bells are let go of outside of the lock.
    for sleeper in gone?.sleepers ?? [] { sleeper.call(.moved) }
    return gone != nil
  }

  /// Tells the clients of a session that sleep that it has gone on elsewhere.
  ///
  /// - Parameter id: the session's name.
  func letGo(of id: String) {
    let gone = dormant.withLock { $0.removeValue(forKey: ExactString(id)) }
    // The bells are let go of outside of the lock.
    for sleeper in gone?.sleepers ?? [] { sleeper.call(.moved) }
  }

  // MARK: Bells

  /// Has a session woken when one of its bells rings, as long as a client sleeps.
  ///
  /// - Parameters:
  ///   - bells: of what its riblets observe.
  ///   - id: the session's name.
  func listen(to bells: [Bell], for id: String) {
    let tokens = bells.map { bell in bell.arm { [weak self] in self?.rang(id) } }
    // Without a sleeper they are let go of.
    dormant.withLock { dormant in
      if dormant[id] != nil { dormant[id]?.bells += tokens }
    }
  }

  /// A bell has rung: a client that sleeps does what its next word would do, when it is its session's turn.
  private func rang(_ id: String) {
    if waking.withLock({ $0.ring(id) }) { wakeOne(of: id) }
  }

  private func wakeOne(of id: String) {
    if !wakeSleeper(of: id) { wakeEnded(id) }
  }

  /// - Returns: false if no client of the session sleeps any more.
  private func wakeSleeper(of id: String) -> Bool {
    guard let next = dormant.withLock({ $0[id]?.sleepers.first }), take(next.sleeper) else { return false }
    next.call(.wake)
    return true
  }

  /// A session that a bell was to wake is in memory, or cannot be: the next ones have their turn.
  private func wakeEnded(_ id: String) {
    var id = id
    while let next = waking.withLock({ $0.end(id) }), !wakeSleeper(of: next) { id = next }
  }

  /// A session that a bell was to wake is not looked for.
  ///
  /// - Parameter id: the session's name.
  func searchEnded(_ id: String) { wakeEnded(id) }

  /// A client that was to wake its session has gone: another one does.
  ///
  /// - Parameter id: the session's name.
  func didNotWake(_ id: String) {
    wakeEnded(id)
    let isAwaited = dormant.withLock { $0[id] != nil }
    if isAwaited { rang(id) }
  }
}
