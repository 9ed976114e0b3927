import RibServer

/// A node's connection to the database: statements arrive late, when the node has given them up, or never, and answers get lost.
///
/// Of a statement that has no answer in time, or whose connection breaks, the node does not know what has become of it; it may be run yet.
final class DatabaseClient {
  /// How long an answer to a commit is waited for, in nanoseconds.
  static let patience: UInt64 = 5_000_000_000
  /// The same for a beat, and for what comes between two beats.
  static let patienceWithBeats: UInt64 = 800_000_000, patienceBetweenBeats: UInt64 = 1_500_000_000

  private let process: SimulatedProcess
  private let cluster: SimulatedCluster

  /// What becomes of a statement.
  private final class Outcome<Value> {
    var value: Value?
    /// Whether the answer is there, or the end of the connection.
    var isOver = false
  }

  /// A connection of a process.
  init(of process: SimulatedProcess, in cluster: SimulatedCluster) { (self.process, self.cluster) = (process, cluster) }

  /// Runs a statement, and waits for its answer.
  ///
  /// - Parameters:
  ///   - patience: for how long at most, in nanoseconds.
  ///   - body: what the database does.
  /// - Returns: what the database has answered.
  /// - Throws: ``StoreError``: whether it was run, or will be, is not known.
  func run<Value>(
    patience: UInt64 = DatabaseClient.patience, _ body: @escaping (SimulatedDatabase, Statement) -> Value
  ) throws(StoreError) -> Value {
    guard !process.isDead else { throw StoreError("The process is dead.") }
    let (world, database, outcome) = (process.world, cluster.database, Outcome<Value>())
    let start = world.scheduler.now
    let statement = cluster.makeStatement(by: process.nodeID)
    let way = cluster.way(of: process, patience: patience)
    if let arrival = way.arrival {
      world.scheduler.at(start + arrival) {
        let value = body(database, statement)
        guard let back = way.answer else { return }
        world.scheduler.at(world.scheduler.now + back) { (outcome.value, outcome.isOver) = (value, true) }
      }
    }
    if let end = way.end { world.scheduler.at(start + end) { outcome.isOver = true } }
    process.statementCount += 1
    process.pause(until: start + patience) { outcome.isOver }
    process.statementCount -= 1
    guard !process.isDead else { throw StoreError("The process is dead.") }
    // Whoever waits does so with the thread of all others.
    if world.scheduler.now - start > 1_000_000_000 { cluster.troubles.note(process.number, until: world.scheduler.now) }
    guard let value = outcome.value else { throw StoreError("The database does not answer.") }
    database.rules?.wasAnswered(statement, database)
    return value
  }
}

/// The way of a statement to the database, in nanoseconds.
struct StatementWay {
  /// After which time it arrives; nil for never.
  var arrival: UInt64?
  /// How long the answer takes; nil if it is lost.
  var answer: UInt64?
  /// After which time the node hears that the connection is broken; nil for never.
  var end: UInt64?
}
