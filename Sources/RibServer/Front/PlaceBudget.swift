import Synchronization

/// How much each of many places may have done in a while: new sessions.
///
/// Each place has a bucket that fills evenly (the generic cell rate algorithm, ITU-T I.371): of each only the time is kept at which it
/// is full again. A full one says nothing, and is forgotten. What is kept is bounded whatever strangers do: with too many places, the
/// half goes whose buckets are full soonest. So little is forgotten of whoever has taken much, and nobody is refused for others.
final class PlaceBudget: Sendable {
  /// How many places are kept in each part of the table.
  static let shardLimit = 8_192
  static let shardCount = 16

  /// Nanoseconds that one is worth; 0 for no limit.
  private let interval: UInt64
  /// Nanoseconds that a full bucket is worth.
  private let allowance: UInt64
  /// A mutex each, so that loops seldom wait for each other.
  private let shards: [Shard]

  /// A part of the table.
  private final class Shard: Sendable {
    /// When each place's bucket is full again.
    let places = Mutex<[Place: UInt64]>([:])
  }

  /// Full buckets.
  ///
  /// - Parameter perMinute: how many a place may have a minute in the long run, and at once; 0 for any number.
  init(perMinute: Int) {
    interval = perMinute > 0 ? 60_000_000_000 / UInt64(perMinute) : 0
    allowance = interval * UInt64(perMinute)
    shards = (0..<Self.shardCount).map { _ in Shard() }
  }

  /// How many places are remembered.
  var count: Int { shards.reduce(0) { $0 + $1.places.withLock(\.count) } }

  /// Takes one, if there is one.
  ///
  /// - Parameters:
  ///   - place: from which place's.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: nanoseconds until there is one; 0 if it was taken.
  func take(from place: Place, at now: UInt64) -> UInt64 {
    guard interval > 0 else { return 0 }
    let shard = shards[Int(UInt(bitPattern: place.hashValue) % UInt(shards.count))]
    return shard.places.withLock { places in
      let full = places[place]
      let next = max(full ?? 0, now) + interval
      guard next - now <= allowance else { return next - now - allowance }
      if full == nil, places.count >= Self.shardLimit { Self.makeRoom(in: &places, now) }
      places[place] = next
      return 0
    }
  }

  private static func makeRoom(in places: inout [Place: UInt64], _ now: UInt64) {
    places = places.filter { $0.value > now }
    guard places.count > shardLimit / 2 else { return }
    let kept = places.sorted { $0.value > $1.value }.prefix(shardLimit / 2)
    places = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
