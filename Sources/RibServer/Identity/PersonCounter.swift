import RibCore
import Synchronization

/// Counts the connections of each person.
final class PersonCounter: Sendable {
  private let limit: Atomic<Int>
  private let counts = Mutex<[PersonID: Int]>([:])

  /// A counter of no connections.
  ///
  /// - Parameter limit: how many connections a person may have at a time; 0 for any number.
  init(limit: Int) { self.limit = Atomic(limit) }

  /// Sets another limit, for connections that come from now on; none is ended.
  ///
  /// Thread-safe.
  ///
  /// - Parameter limit: how many connections a person may have at a time; 0 for any number.
  func setLimit(_ limit: Int) { self.limit.store(limit, ordering: .relaxed) }

  /// Counts a connection in, unless its person has as many as are allowed.
  ///
  /// - Parameter identity: the person.
  /// - Returns: whether it was counted, which it is until ``leave(_:)``.
  func enter(_ identity: Identity) -> Bool {
    let limit = limit.load(ordering: .relaxed)
    // Counted without a limit as well: there may be one by the time that the connection ends.
    return counts.withLock { counts in
      let person = PersonID(identity)
      guard limit == 0 || counts[person, default: 0] < limit else { return false }
      counts[person, default: 0] += 1
      return true
    }
  }

  /// Counts a connection out.
  ///
  /// - Parameter identity: the person.
  func leave(_ identity: Identity) {
    counts.withLock { counts in
      let person = PersonID(identity)
      if let count = counts[person] { counts[person] = count == 1 ? nil : count - 1 }
    }
  }
}
