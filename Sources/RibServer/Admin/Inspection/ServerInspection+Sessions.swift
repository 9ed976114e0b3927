import Synchronization
import Wire

extension ServerInspection {
  /// How long the sessions of a loop may be searched for, in nanoseconds: a slice at a time, between the clients'.
  private static let searchPatience: UInt64 = 5_000_000_000

  /// Finds the sessions that come first, of those in memory, and of those at rest with a client connected here.
  ///
  /// There is one search at a time; others wait for it.
  ///
  /// - Parameter search: which sessions come first.
  /// - Returns: the sessions.
  package func sessions(_ search: SessionSearch) async -> SessionList {
    await beginSearch()
    guard !Task.isCancelled else {
      endSearch()
      return SessionList()
    }
    looks.withLock { $0.searchCount += 1 }
    let isUnwanted = SessionScan.Flag()
    let found = await withTaskCancellationHandler {
      await ask(loops, within: Self.searchPatience) { [clock] loop, done in
        SessionScan(loop, search, clock, until: isUnwanted, done).goOn()
      }
    } onCancel: {
      isUnwanted.set()
    }
    // A scan that has taken too long goes on no more either.
    isUnwanted.set()
    endSearch()
    var list = SessionList()
    list.matchCount = found.reduce(0) { $0 + $1.matchCount }
    list.totalCount = found.reduce(0) { $0 + $1.totalCount }
    var places: [String: Int] = [:]  // safe text: own
    for (_, row) in found.flatMap(\.rows).sorted(by: { search.isReversed ? $0.key < $1.key : $0.key > $1.key }) {
      // Of a session at rest each client has a connection.
      if let place = places[row.id] {
        list.rows[place].clients += row.clients
      } else if list.rows.count < search.count {
        places[row.id] = list.rows.count
        list.rows.append(row)
      }
    }
    return list
  }

  private func beginSearch() async {
    await withCheckedContinuation { continuation in
      let isFirst = looks.withLock { looks in
        guard looks.waitingSearches != nil else {
          looks.waitingSearches = []
          return true
        }
        looks.waitingSearches?.append { continuation.resume() }
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  private func endSearch() {
    let next = looks.withLock { looks -> (@Sendable () -> Void)? in
      guard let next = looks.waitingSearches?.first else {
        looks.waitingSearches = nil
        return nil
      }
      looks.waitingSearches?.removeFirst()
      return next
    }
    next?()
  }

  // MARK: One session

  /// Begins to look at a session; what happens in it is noted from the next ``session(_:)`` on.
  package func begin(_ look: SessionLook) {
    looks.withLock { looks in
      looks.watched[ExactString(look.id), default: Looks.Watched(watch: SessionWatch(clock), count: 0)].count += 1
    }
  }

  /// Ends a look that ``begin(_:)`` has begun.
  package func end(_ look: SessionLook) {
    let id = look.id
    let watch = looks.withLock { looks -> SessionWatch? in
      guard let watched = looks.watched[id] else { return nil }
      guard watched.count == 1 else {
        looks.watched[id]?.count -= 1
        return nil
      }
      looks.watched[id] = nil
      return watched.watch
    }
    guard let watch, case .awake(let session) = context.sessions.whereabouts(of: id) else { return }
    session.loop.execute {
      if session.core.watch === watch { session.core.look(through: nil) }
    }
  }

  /// A session, with what has happened in it since somebody looks.
  ///
  /// The audit has a line once the look is shown the state, as a setting that is reloaded may allow it at any time.
  ///
  /// - Parameter look: the look.
  /// - Returns: the session; nil if it is not in memory here.
  /// - Throws: ``InspectionError`` if its loop does not answer.
  package func session(_ look: SessionLook) async throws -> SessionDetail? {
    let (id, showsState) = (look.id, context.settings.admin.showsState)
    let detail = try await askSession(id) { [self] core in
      // A session that was at rest meanwhile has another tree. On the loop, so that the look may have ended by now.
      if let watch = looks.withLock({ $0.watched[id]?.watch }) { core.look(through: watch) }
      return core.seen(clock, showsState: showsState)
    }
    if detail != nil, showsState, look.noteState() { audit(look.name, "see the state", session: id) }
    return detail
  }
}
