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
    // A few leave at a time: as long as sessions of the last part wait, another part would only wait as well.
    guard !resting.isAnyWaiting else { return }
    var idle = sessions.values.map(\.core).filter(\.canRest).map {
      IdleSession(core: $0, isAlone: $0.life.aloneSince != nil, time: $0.life.lastChange)
    }
    let count = min(max(Self.smallestPart, idle.count / 10), idle.count)
    idle.moveLeast(count)
    for session in idle.prefix(count).sorted() { session.core.rest() }
  }

  private struct IdleSession: Comparable {
    let core: SessionCore
    let isAlone: Bool
    let time: UInt64

    static func < (one: Self, other: Self) -> Bool {
      one.isAlone != other.isAlone ? one.isAlone : one.time < other.time
    }

    static func == (one: Self, other: Self) -> Bool { one.isAlone == other.isAlone && one.time == other.time }
  }
}

extension Array where Element: Comparable {
  /// Moves the least elements to the front, in any order, without sorting the others (Hoare's selection).
  ///
  /// - Parameter count: how many.
  mutating func moveLeast(_ count: Int) {
    var (low, high) = (0, self.count - 1)
    while low < high {
      let pivot = self[low + (high - low) / 2]
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        guard left <= right else { break }
        swapAt(left, right)
        (left, right) = (left + 1, right - 1)
      }
      // Up to `right` all are at most the pivot, and from `left` on at least that.
      if count <= right { high = right } else if count > left { low = left } else { return }
    }
  }
}
