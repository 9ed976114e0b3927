import Synchronization

/// A rate limit for each of many owners, which are places or persons: of new sessions, or of wrong credentials.
///
/// Each owner has a ``TokenBucket``, of which only the time is kept at which it is full again. A full bucket need not be kept. The table is bounded whatever clients do: when a part of it has too many buckets,
/// the half that is full soonest is dropped. So the owners that have taken most are kept, and no owner is refused because of others.
final class RateBudget<Owner: Hashable & Sendable>: Sendable {
  /// How many buckets are kept in each part of the table.
  static var shardLimit: Int { 8_192 }
  static var shardCount: Int { 16 }

  /// How many an owner may take a minute in the long run; 0 for no limit.
  private let rate: Atomic<Int>
  /// For each of these an owner may take one at once.
  private let share: Int
  /// Each part has a mutex of its own, so that loops seldom wait for each other.
  private let shards: [Shard]

  /// A part of the table.
  private final class Shard: Sendable {
    /// When the bucket of each owner is full again.
    let owners = Mutex<[Owner: UInt64]>([:])
  }

  /// A budget that no owner has taken from.
  ///
  /// - Parameters:
  ///   - perMinute: how many an owner may take a minute in the long run; 0 for any number.
  ///   - share: the part of them that it may take at once: 1 for all, 30 for those of two seconds.
  init(perMinute: Int, atOnce share: Int = 1) {
    rate = Atomic(perMinute)
    self.share = share
    shards = (0..<Self.shardCount).map { _ in Shard() }
  }

  /// Sets another rate; a bucket that is half full goes on to be half full.
  ///
  /// Thread-safe.
  ///
  /// - Parameter perMinute: how many an owner may take a minute in the long run, and at once; 0 for any number.
  func setRate(perMinute: Int) { rate.store(perMinute, ordering: .relaxed) }

  /// How fast buckets fill; nil for no limit.
  private var pace: TokenBucket.Rate? {
    let rate = rate.load(ordering: .relaxed)
    return rate > 0 ? TokenBucket.Rate(rate, per: 60_000_000_000, burst: rate / share) : nil
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
    guard let pace else { return 0 }
    return shard(of: owner).owners.withLock { owners in
      let wait = TokenBucket(pace, full: owners[owner] ?? 0).wait(at: now)
      if wait == 0 { _ = Self.charge(1, to: owner, in: &owners, pace, .max, now) }
      return wait
    }
  }

  /// Takes several from an owner's bucket, even if the bucket is empty.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - owner: the owner.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: nanoseconds until one more should be taken.
  func charge(_ count: UInt64, to owner: Owner, at now: UInt64) -> UInt64 {
    guard let pace else { return 0 }
    return shard(of: owner).owners.withLock { Self.charge(count, to: owner, in: &$0, pace, Self.longestWait, now) }
  }

  /// Nanoseconds that an owner who is charged waits at most.
  private static var longestWait: UInt64 { 10_000_000_000 }

  private static func charge(
    _ count: UInt64, to owner: Owner, in owners: inout [Owner: UInt64], _ pace: TokenBucket.Rate, _ longest: UInt64,
    _ now: UInt64
  ) -> UInt64 {
    let full = owners[owner]
    if full == nil, owners.count >= shardLimit { makeRoom(in: &owners, now) }
    var bucket = TokenBucket(pace, full: full ?? 0)
    let wait = bucket.take(count, at: now, longest: longest)
    owners[owner] = bucket.full
    return wait
  }

  /// Whether an owner's bucket is empty.
  ///
  /// - Parameters:
  ///   - owner: the owner.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: true until one can be taken again.
  func isSpent(_ owner: Owner, at now: UInt64) -> Bool { wait(of: owner, at: now) > 0 }

  /// Nanoseconds until an owner can take one.
  func wait(of owner: Owner, at now: UInt64) -> UInt64 {
    guard let pace else { return 0 }
    return TokenBucket(pace, full: shard(of: owner).owners.withLock { $0[owner] } ?? 0).wait(at: now)
  }

  /// The owners whose buckets are empty, and the nanoseconds until one can be taken again.
  ///
  /// - Parameters:
  ///   - now: nanoseconds of a monotonic clock.
  ///   - limit: how many owners are told of at most.
  /// - Returns: those that have to wait longest.
  func spent(at now: UInt64, atMost limit: Int) -> [(owner: Owner, wait: UInt64)] {
    guard let pace else { return [] }
    let waiting = shards.flatMap { shard in
      shard.owners.withLock { owners in
        owners.map { (owner: $0, wait: TokenBucket(pace, full: $1).wait(at: now)) }.filter { $0.wait > 0 }
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
