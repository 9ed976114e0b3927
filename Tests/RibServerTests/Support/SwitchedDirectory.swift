import RibCore
import Synchronization

@testable import RibServer

/// A directory of nodes that cannot be reached when it is told so.
final class SwitchedDirectory: ClusterDirectory {
  private let base: any ClusterDirectory
  private let isFailing = Atomic(false)
  private let failsComparisons = Atomic(false)
  private let losesNextAnswer = Atomic(false)
  private let count = Atomic(0)
  private let didCompare = Mutex<(@Sendable () -> Void)?>(nil)
  private let failsWrite = Mutex<@Sendable (_ name: String) -> Bool>({ _ in false })

  init(_ base: any ClusterDirectory) { self.base = base }

  /// Has everything fail from here on, or nothing.
  func fail(_ fails: Bool) { isFailing.store(fails, ordering: .relaxed) }

  /// Has what compares leases fail, and nothing else.
  func failComparisons(_ fails: Bool) { failsComparisons.store(fails, ordering: .relaxed) }

  /// Calls back, once, when leases were compared, before the node hears of it.
  func whenCompared(_ body: @escaping @Sendable () -> Void) { didCompare.withLock { $0 = body } }

  /// Has writes of some values fail, by their names.
  func failWrites(where fails: @escaping @Sendable (_ name: String) -> Bool) { failsWrite.withLock { $0 = fails } }

  /// Has the answer to the next write of a value be lost.
  func loseNextAnswer() { losesNextAnswer.store(true, ordering: .relaxed) }

  /// How often the node has tried to be heard.
  var beatCount: Int { count.load(ordering: .relaxed) }

  func beat(_ node: ClusterNode) throws(StoreError) -> [ClusterNode] {
    defer { count.add(1, ordering: .relaxed) }
    try check()
    return try base.beat(node)
  }

  func voided(among leases: [SessionLease]) throws(StoreError) -> [SessionLease] {
    try check()
    if failsComparisons.load(ordering: .relaxed) { throw StoreError("The test has it fail.") }
    let voided = try base.voided(among: leases)
    didCompare.withLock { $0.take() }?()
    return voided
  }

  func free(sessionsOf nodes: [ClusterNode], limit: Int) throws(StoreError) -> Int {
    try check()
    return try base.free(sessionsOf: nodes, limit: limit)
  }

  func freeOrphans(limit: Int) throws(StoreError) -> Int {
    try check()
    return try base.freeOrphans(limit: limit)
  }

  func leases(ofSessions ids: [String], heldBy node: Int) throws(StoreError) -> [String: SessionLease] {
    try check()
    return try base.leases(ofSessions: ids, heldBy: node)
  }

  func free(_ leases: [SessionLease], heldBy node: Int) throws(StoreError) -> Int {
    try check()
    return try base.free(leases, heldBy: node)
  }

  func values(named names: [String]) throws(StoreError) -> [NamedValue] {
    try check()
    return try base.values(named: names)
  }

  func write(
    _ value: NamedValue, number: Int, of node: Int
  ) throws(StoreError) -> (found: NamedValue, wasWritten: Bool) {
    try check()
    if failsWrite.withLock({ $0 })(value.name) { throw StoreError("The test has it fail.") }
    let result = try base.write(value, number: number, of: node)
    // The answer may be lost once the write is made.
    if losesNextAnswer.exchange(false, ordering: .relaxed) { throw StoreError("The test has its answer be lost.") }
    return result
  }

  func close() { base.close() }

  private func check() throws(StoreError) {
    if isFailing.load(ordering: .relaxed) { throw StoreError("The test has it fail.") }
  }
}
