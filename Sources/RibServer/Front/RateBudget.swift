import Synchronization

/// A rate limit for each of many owners, which are places or persons: of new sessions, or of wrong credentials.
///
/// Each owner has a bucket that fills evenly (the generic cell rate algorithm, ITU-T I.371): of a bucket only the time is kept at which
/// it is full again. A full bucket need not be kept. The table is bounded whatever clients do: when a part of it has too many buckets,
/// the half that is full soonest is dropped. So the owners that have taken most are kept, and no owner is refused because of others.
final class RateBudget<Owner: Hashable & Sendable>: Sendable {
  /// How many buckets are kept in each part of the table.
  static var shardLimit: Int { 8_192 }
  static var shardCount: Int { 16 }

  /// How many an owner may take a minute, in the long run and at once; 0 for no limit.
  private let rate: Atomic<Int>
  /// Each part has a mutex of its own, so that loops seldom wait for each other.
  private let shards: [Shard]

  /// A part of the table.
  private final class Shard: Sendable {
    /// When the bucket of each owner is full again.
    let owners = Mutex<[Owner: UInt64]>([:])
  }

  /// A budget that no owner has taken from.
  ///
  /// - Parameter perMinute: how many an owner may take a minute in the long run, and at once; 0 for any number.
  init(perMinute: Int) {
    rate = Atomic(perMinute)
    shards = (0..<Self.shardCount).map { _ in Shard() }
  }

  /// Sets another rate; a bucket that is half full goes on to be half full.
  ///
  /// Thread-safe.
  ///
  /// - Parameter perMinute: how many an owner may take a minute in the long run, and at once; 0 for any number.
  func setRate(perMinute: Int) { rate.store(perMinute, ordering: .relaxed) }

  /// Nanoseconds in which a bucket gains one, and in which an empty bucket fills; nil for no limit.
  private var pace: (interval: UInt64, allowance: UInt64)? {
    let rate = UInt64(rate.load(ordering: .relaxed))
    guard rate > 0 else { return nil }
    let interval = 60_000_000_000 / rate
    return (interval, interval * rate)
  }

  /// How many buckets are kept.
  var count: Int { shards.reduce(0) { $0 + $1.owners.withLock(\.count) } }

  /// Takes one from an owner's bucket, unless the bucket is empty.
  ///
  /// - Parameters:
  ///   - owner: the owner.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: nanoseconds until one can be taken; 0 if one was taken.
  func take(from owner: Owner, at now: UInt64) -> UInt64 {
    guard let (interval, allowance) = pace else { return 0 }
    return shard(of: owner).owners.withLock { owners in
      let full = owners[owner]
      let next = max(full ?? 0, now) + interval
      guard next - now <= allowance else { return next - now - allowance }
      if full == nil, owners.count >= Self.shardLimit { Self.makeRoom(in: &owners, now) }
      owners[owner] = next
      return 0
    }
  }

  /// Whether an owner's bucket is empty.
  ///
  /// - Parameters:
  ///   - owner: the owner.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: true until one can be taken again.
  func isSpent(_ owner: Owner, at now: UInt64) -> Bool {
    guard let (interval, allowance) = pace else { return false }
    let full = shard(of: owner).owners.withLock { $0[owner] } ?? 0
    return max(full, now) + interval - now > allowance
  }

  /// The owners whose buckets are empty, and the nanoseconds until one can be taken again.
  ///
  /// - Parameters:
  ///   - now: nanoseconds of a monotonic clock.
  ///   - limit: how many owners are told of at most.
  /// - Returns: those that have to wait longest.
  func spent(at now: UInt64, atMost limit: Int) -> [(owner: Owner, wait: UInt64)] {
    guard let (interval, allowance) = pace else { return [] }
    let waiting = shards.flatMap { shard in
      shard.owners.withLock { owners in
        owners.compactMap { owner, full in
          let missing = max(full, now) + interval - now
          return missing > allowance ? (owner: owner, wait: missing - allowance) : nil
        }
      }
    }
    return Array(waiting.sorted { $0.wait > $1.wait }.prefix(limit))
  }

  /// Fills an owner's bucket.
  func refill(_ owner: Owner) { _ = shard(of: owner).owners.withLock { $0.removeValue(forKey: owner) } }

  private func shard(of owner: Owner) -> Shard { shards[Int(UInt(bitPattern: owner.hashValue) % UInt(shards.count))] }

  private static func makeRoom(in owners: inout [Owner: UInt64], _ now: UInt64) {
    owners = owners.filter { $0.value > now }
    guard owners.count > shardLimit / 2 else { return }
    let kept = owners.sorted { $0.value > $1.value }.prefix(shardLimit / 2)
    owners = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
