import RibServer
import Wire

/// A store whose sessions wait while it fails, as those of a store do that other machines use as well.
final class WaitingStore: SessionStore {
  private let base: any SessionStore

  /// A store that does what another one does.
  init(_ base: any SessionStore) { self.base = base }

  var durability: Welcome.Durability { base.durability }
  let outage = Outage.waits

  func isShared(since time: UInt64) -> Bool { base.isShared(since: time) }
  func begin(_ start: StoreStart) throws(StoreError) -> Int { try base.begin(start) }
  func known(of entry: FlightEntry) -> (app: String, count: Int)? { base.known(of: entry) }
  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] { try base.perform(requests) }
  func close() { base.close() }
}
