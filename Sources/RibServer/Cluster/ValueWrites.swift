import RibCore

/// How far the cluster values of this node are written.
///
/// `@unchecked Sendable`: only jobs of the cluster's serial queue use it, and `Cluster.start`, which reads the values before the first of
/// these jobs is added.
final class ValueWrites: @unchecked Sendable {
  /// The number of the next write, by the value's name.
  private(set) var numbers: [String: Int] = [:]  // safe text: own
  /// The values that were read.
  var known: Set<String> = []  // safe text: own
  /// The values whose changes wait to be written, in turn; the first one has its turn.
  private(set) var due: [any ValueExchange.Member] = []

  /// Gives a value a turn.
  ///
  /// - Returns: whether it is the only one: nobody writes yet.
  func add(_ value: any ValueExchange.Member) -> Bool {
    guard !due.contains(where: { $0 === value }) else { return false }
    due.append(value)
    return due.count == 1
  }

  /// Ends the turn of the first value, which has another one behind the others unless it is done.
  func endTurn(isDone: Bool) {
    let value = due.removeFirst()
    if !isDone { due.append(value) }
  }

  func next(_ name: String) -> Int { numbers[name, default: 1] }
  func ended(_ name: String) { numbers[name, default: 1] += 1 }
}
