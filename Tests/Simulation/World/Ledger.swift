/// A book outside of the servers: what effects have booked in it, by the action's name.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class Ledger: @unchecked Sendable {
  /// The keys under which each was booked; more than one is a booking that was done twice.
  private(set) var keys: [Int: Set<String>] = [:]

  func book(_ name: Int, _ key: String) { keys[name, default: []].insert(key) }
}
