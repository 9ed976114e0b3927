import CLyingDisk

/// What schedules have come to, counted.
package struct Figures: Sendable {
  /// Schedules.
  package var schedules = 0
  /// Steps of the machine.
  package var steps = 0
  /// Nanoseconds of simulated time.
  package var time: UInt64 = 0
  /// Actions that clients have sent.
  package var actions = 0
  /// Those that were answered as done, and as refused.
  package var applied = 0, refused = 0
  /// What has happened, by name.
  package var happened: [String: Int] = [:]
  /// Syncs that have made something durable.
  package var syncs = 0
  /// Power cuts, and what was lost of writes and directories by them.
  package var powerCuts = 0, droppedSectors = 0, tornWrites = 0, droppedEntries = 0
  /// Calls of the disk by kind, and those that were made to fail.
  package var diskCalls = [Int](repeating: 0, count: Int(RIB_CALL_KINDS))
  package var diskFaults = [Int](repeating: 0, count: Int(RIB_CALL_KINDS))

  /// Nothing.
  package init() {}

  mutating func note(_ name: String) { happened[name, default: 0] += 1 }

  /// Adds what others have come to.
  ///
  /// - Parameter other: the others.
  package mutating func add(_ other: Figures) {
    schedules += other.schedules
    steps += other.steps
    time += other.time
    actions += other.actions
    applied += other.applied
    refused += other.refused
    happened.merge(other.happened, uniquingKeysWith: +)
    syncs += other.syncs
    powerCuts += other.powerCuts
    droppedSectors += other.droppedSectors
    tornWrites += other.tornWrites
    droppedEntries += other.droppedEntries
    for index in diskCalls.indices {
      diskCalls[index] += other.diskCalls[index]
      diskFaults[index] += other.diskFaults[index]
    }
  }

  /// All of it, for a person.
  package var text: String {
    let names = happened.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let faults = zip(SimulatedDisk.callNames, diskFaults).filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    return """
      \(schedules) schedules, \(steps) steps, \(time / 1_000_000_000) s of simulated time
      \(actions) actions: \(applied) done, \(refused) refused
      \(names)
      disk: \(syncs) syncs, \(powerCuts) power cuts, \(droppedSectors) sectors lost, \(tornWrites) writes torn, \
      \(droppedEntries) entries of the directory lost
      calls that failed: \(faults.isEmpty ? "none" : faults.joined(separator: ", "))
      """
  }
}
