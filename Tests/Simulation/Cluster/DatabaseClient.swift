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

  /// Runs the statements of a store, and waits for their answer.
  ///
  /// - Parameter requests: what the database is asked for.
  /// - Returns: one result a request.
  /// - Throws: ``StoreError``: whether they were run, or will be, is not known.
  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    let node = process.nodeID
    guard !requests.areOneMessage else {
      return try run(locking: { $0.names(lockedBy: requests, node) }) { $0.perform(requests, $1) }
    }
    return try send { outcome, statement, way, database in
      guard !way.isLate else {
        // Of a node that is cut off the first message is late, to which nobody hears the answer.
        if !way.isCutOff { commitLate(requests, statement, way, database) }
        return
      }
      at(way.arrival) {
        database.whenUnlocked {
          database.names(lockedBy: requests, node)
        } _: { [self] in
          guard !outcome.isOver, !process.isDead else { return }
          if process.isHeldUp {
            takeBack(requests, statement, database)
          } else {
            answer(outcome, way, database.perform(requests, statement))
          }
        }
      }
    }
  }

  /// Runs a statement as a whole, and waits for its answer.
  ///
  /// - Parameters:
  ///   - patience: for how long at most, in nanoseconds.
  ///   - names: the sessions that it writes.
  ///   - body: what the database does.
  /// - Returns: what the database has answered.
  /// - Throws: ``StoreError``: whether it was run, or will be, is not known.
  func run<Value>(
    patience: UInt64 = DatabaseClient.patience,
    locking names: @escaping (SimulatedDatabase) -> Set<String> = { _ in [] },
    _ body: @escaping (SimulatedDatabase, Statement) -> Value
  ) throws(StoreError) -> Value {
    try send(patience) { outcome, statement, way, database in
      at(way.arrival) {
        database.whenUnlocked {
          names(database)
        } _: {
          self.answer(outcome, way, body(database, statement))
        }
      }
    }
  }

  /// Locks at once what is written, and commits it when the node has given it up, as the server stands still meanwhile; or the commit never comes.
  ///
  /// What others have locked already is not waited for: nothing is written then.
  private func commitLate(
    _ requests: [StoreRequest], _ statement: Statement, _ way: StatementWay, _ database: SimulatedDatabase
  ) {
    guard cluster.drawsCommit() else { return takeBack(requests, statement, database) }
    guard let (lock, writing) = database.lock(requests, by: statement.node) else { return }
    at(way.arrival) {
      _ = database.perform(writing, statement)
      database.unlock(lock)
    }
  }

  /// Locks what is written for as long as the database waits for the commit.
  private func takeBack(_ requests: [StoreRequest], _ statement: Statement, _ database: SimulatedDatabase) {
    guard let (lock, _) = database.lock(requests, by: statement.node) else { return }
    at(SimulatedDatabase.idleLimit) { database.unlock(lock) }
  }

  private func send<Value>(
    _ patience: UInt64 = DatabaseClient.patience,
    _ begin: (Outcome<Value>, Statement, StatementWay, SimulatedDatabase) -> Void
  ) throws(StoreError) -> Value {
    guard !process.isDead else { throw StoreError("The process is dead.") }
    let (world, database, outcome) = (process.world, cluster.database, Outcome<Value>())
    let start = world.scheduler.now
    let statement = cluster.makeStatement(by: process.nodeID)
    let way = cluster.way(of: process, patience: patience)
    begin(outcome, statement, way, database)
    at(way.end) { outcome.isOver = true }
    process.statementCount += 1
    process.pause(until: start + patience) { outcome.isOver }
    process.statementCount -= 1
    // What comes now comes to nobody.
    defer { outcome.isOver = true }
    guard !process.isDead else { throw StoreError("The process is dead.") }
    // Whoever waits does so with the thread of all others.
    if world.scheduler.now - start > 1_000_000_000 { cluster.troubles.note(process.number, until: world.scheduler.now) }
    guard let value = outcome.value else { throw StoreError("The database does not answer.") }
    database.rules?.wasAnswered(statement, database)
    return value
  }

  private func at(_ time: UInt64?, _ action: @escaping () -> Void) {
    guard let time else { return }
    process.world.scheduler.at(process.world.scheduler.now + time, action)
  }

  private func answer<Value>(_ outcome: Outcome<Value>, _ way: StatementWay, _ value: Value) {
    at(way.answer) { (outcome.value, outcome.isOver) = (value, true) }
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
  /// Whether it arrives when the node has given it up.
  var isLate = false
  /// Whether it is late as nothing reaches the database.
  var isCutOff = false
}
