/// A book outside of the servers: what effects have booked in it, by the action's name.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class Ledger: @unchecked Sendable {
  /// The keys under which each was booked whose cause is on disk; more than one is a booking that was done twice.
  private(set) var keys: [Int: Set<String>] = [:]

  /// What was booked under each key; of more than one, a book that knows its keys has taken only the first.
  private(set) var names: [String: Set<Int>] = [:]

  /// What was booked, whatever its cause.
  private(set) var booked: Set<Int> = []

  /// Books something.
  ///
  /// - Parameters:
  ///   - name: what.
  ///   - key: the booking's.
  ///   - isSure: whether its cause is on disk, as the store has not failed for the process that books it.
  func book(_ name: Int, _ key: String, isSure: Bool) {
    booked.insert(name)
    if isSure { keys[name, default: []].insert(key) }
    names[key, default: []].insert(name)
  }
}
