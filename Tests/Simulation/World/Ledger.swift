/// A book outside of the servers: what effects have booked in it, by the action's name.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class Ledger: @unchecked Sendable {
  /// The keys under which each was booked; more than one is a booking that was done twice.
  private(set) var keys: [Int: Set<String>] = [:]

  /// What was booked under each key; of more than one, a book that knows its keys has taken only the first.
  private(set) var names: [String: Set<Int>] = [:]

  func book(_ name: Int, _ key: String) {
    keys[name, default: []].insert(key)
    names[key, default: []].insert(name)
  }
}
