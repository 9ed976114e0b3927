import Synchronization

/// Counts the connections of a server, and says which are too many.
final class ConnectionCounter: Sendable {
  /// What becomes of a connection.
  enum Admission: Equatable {
    case admitted
    /// It is too many, and is told so.
    case turnedAway
    /// There are too many even of connections that are answered 503: it is closed without a word.
    case dropped
  }

  /// How many are told at a time that they are too many: each has a moment to listen.
  static let turnedAwayLimit = 256

  private let limit: Atomic<Int>
  private let limitPerAddress: Atomic<Int>
  private let admitted = Atomic(0)
  private let turnedAway = Atomic(0)
  private let byAddress = Mutex<[Place: Int]>([:])
  /// How fast connections of one address may come: 1,000 at once, or as many as it may have, and then a tenth of that a second.
  private let arrivals: RateBudget<Place>

  /// A counter.
  ///
  /// - Parameters:
  ///   - limit: connections in all; 0 for any number.
  ///   - limitPerAddress: connections from one address; 0 for any number.
  init(limit: Int, limitPerAddress: Int) {
    self.limit = Atomic(limit)
    self.limitPerAddress = Atomic(limitPerAddress)
    arrivals = RateBudget(perMinute: Self.perMinute(limitPerAddress), atOnce: Self.shareOfMinute)
  }

  /// The number of connections at once, times this, is the number that may come from one address in a minute.
  private static let shareOfMinute = 6

  private static func perMinute(_ limitPerAddress: Int) -> Int {
    limitPerAddress > 0 ? max(limitPerAddress, 1_000) * shareOfMinute : 0
  }

  /// Sets other limits, for connections that come from now on; none is ended.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - limit: connections in all; 0 for any number.
  ///   - limitPerAddress: connections from one address; 0 for any number.
  func setLimits(_ limit: Int, perAddress limitPerAddress: Int) {
    self.limit.store(limit, ordering: .relaxed)
    self.limitPerAddress.store(limitPerAddress, ordering: .relaxed)
    arrivals.setRate(perMinute: Self.perMinute(limitPerAddress))
  }

  /// The number of connections, without those that are answered 503.
  var count: Int { admitted.load(ordering: .relaxed) }

  /// Counts a connection in.
  ///
  /// Thread-safe; of two threads at the same moment each may let one in where there is room for one.
  ///
  /// - Parameters:
  ///   - address: where it comes from; nil if that is not counted, or not known yet.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: what becomes of it; it is counted until ``leave(_:from:)`` unless it is dropped.
  func enter(from address: Place?, at now: UInt64) -> Admission {
    let limit = limit.load(ordering: .relaxed)
    if limit == 0 || count < limit, address.map({ enter($0, at: now) }) ?? true {
      admitted.add(1, ordering: .relaxed)
      return .admitted
    }
    guard turnedAway.load(ordering: .relaxed) < Self.turnedAwayLimit else { return .dropped }
    turnedAway.add(1, ordering: .relaxed)
    return .turnedAway
  }

  /// Counts a connection to its address.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - address: where it comes from.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: whether there is room, and it has not come too fast; it is counted until ``leave(_:from:)`` then.
  func enter(_ address: Place, at now: UInt64) -> Bool {
    guard arrivals.take(from: address, at: now) == 0 else { return false }
    let limit = limitPerAddress.load(ordering: .relaxed)
    // Counted without a limit as well: there may be one by the time that the connection ends.
    return byAddress.withLock { counts in
      guard limit == 0 || counts[address, default: 0] < limit else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  /// Whether a place has as many connections as it may have, or has opened them too fast.
  func isFull(_ address: Place, at now: UInt64) -> Bool {
    if arrivals.isSpent(address, at: now) { return true }
    let limit = limitPerAddress.load(ordering: .relaxed)
    return limit > 0 && byAddress.withLock { $0[address, default: 0] >= limit }
  }

  /// Counts a connection out.
  ///
  /// - Parameters:
  ///   - admission: what became of it.
  ///   - address: where it came from, as it was counted in; nil if it was not.
  func leave(_ admission: Admission, from address: Place?) {
    switch admission {
    case .dropped: break
    case .turnedAway: turnedAway.subtract(1, ordering: .relaxed)
    case .admitted:
      admitted.subtract(1, ordering: .relaxed)
      if let address { leave(address) }
    }
  }

  /// Counts a connection to its address no longer.
  ///
  /// Thread-safe.
  ///
  /// - Parameter address: where it comes from, as it was counted.
  func leave(_ address: Place) {
    byAddress.withLock { counts in
      if let count = counts[address] { counts[address] = count == 1 ? nil : count - 1 }
    }
  }
}
