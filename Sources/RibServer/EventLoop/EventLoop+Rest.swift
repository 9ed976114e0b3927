extension EventLoop {
  /// How many sessions leave memory at least when there is too much in it.
  private static let smallestPart = 64

  /// Whether a session may leave memory now; if not, it is asked again when another one has left.
  ///
  /// - Parameters:
  ///   - session: its number on this loop.
  ///   - isAwaited: whether a client waits for it elsewhere.
  /// - Returns: whether it is counted as on its way, until ``didRest()``.
  func mayRest(_ session: Int, isAwaited: Bool) -> Bool { resting.begin(session, isAwaited: isAwaited) }

  /// A session that was about to leave memory has left it, or stays.
  func didRest() {
    resting.end()
    guard resting.isAnyWaiting else { return }
    execute { [self] in
      while !isStopping, let next = resting.next() { sessions[next]?.core.rest() }
    }
  }

  /// Ends the connections of persons who were signed out, and those of anonymous clients in sessions that these persons have begun.
  func endConnections(of persons: Set<PersonID>) {
    for id in connectionsByPerson.connections(of: persons) {
      guard let connection = connections[id], connection.channel.isConcerned(by: persons) else { continue }
      connection.endIfRevoked()
    }
  }

  /// Has a part of the sessions leave memory: sessions without a client first, and among them those in which nothing has
  /// happened for longest.
  func restLongestIdle() {
    let idle = sessions.values.lazy.map(\.core).filter(\.canRest).map { core in
      (core: core, isAlone: core.life.aloneSince != nil, time: core.life.lastChange)
    }
    let count = max(Self.smallestPart, idle.count / 10)
    for entry in idle.sorted(by: { $0.isAlone != $1.isAlone ? $0.isAlone : $0.time < $1.time }).prefix(count) {
      entry.core.rest()
    }
  }
}
