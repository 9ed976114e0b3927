import Simulation
import Synchronization
import Wire

@testable import RibServer

/// A simulated database that is at hand: what the simulator's nodes have for a store, without the way to it.
final class DatabaseStore: SessionStore {
  private let database: SimulatedDatabase
  private let node: Int
  private let count = Atomic(0)

  let durability = Welcome.Durability.disk
  let outage = Outage.waits

  /// A store for one node.
  ///
  /// - Parameter clock: what the database's time goes by.
  init(clock: TimeSource) {
    database = SimulatedDatabase(clock)
    node = database.begin(StoreStart())
  }

  func isShared(since time: UInt64) -> Bool { true }
  func begin(_ start: StoreStart) -> Int { node }
  func known(of entry: FlightEntry) -> (app: String, count: Int)? { database.known(of: entry) }

  func perform(_ requests: [StoreRequest]) -> [StoreResult] {
    let number = count.add(1, ordering: .relaxed).newValue
    return database.perform(requests, Statement(number, by: node, at: 0))
  }

  func close() {}
}
