import RibCore
import Synchronization

/// Counts the connections of each person.
final class PersonCounter: Sendable {
  private let limit: Int
  private let counts = Mutex<[PersonID: Int]>([:])

  /// A counter of no connections.
  ///
  /// - Parameter limit: how many connections a person may have at a time; 0 for any number.
  init(limit: Int) { self.limit = limit }

  /// Counts a connection in, unless its person has as many as are allowed.
  ///
  /// - Parameter identity: the person.
  /// - Returns: whether it was counted, which it is until ``leave(_:)``.
  func enter(_ identity: Identity) -> Bool {
    guard limit > 0 else { return true }
    return counts.withLock { counts in
      let person = PersonID(identity)
      guard counts[person, default: 0] < limit else { return false }
      counts[person, default: 0] += 1
      return true
    }
  }

  /// Counts a connection out.
  ///
  /// - Parameter identity: the person.
  func leave(_ identity: Identity) {
    guard limit > 0 else { return }
    counts.withLock { counts in
      let person = PersonID(identity)
      if let count = counts[person] { counts[person] = count == 1 ? nil : count - 1 }
    }
  }
}
