/// A process that begins to use a store.
package struct StoreStart: Sendable {
  /// The process's number among those of its state directory, from 0: the lowest that no process has that runs.
  package var number = 0
  /// The numbers of the processes that run with the same state directory.
  package var others: [Int] = []
  /// Counts the processes that have begun; nil where there is no state directory.
  package var starts: StartCounter?
  /// What processes were running when they died, as ``FlightRecorder`` has found it.
  package var crashes: [FlightEntry] = []
  /// What of apps they were running, for no session that is in the store.
  package var appCrashes: [AppFlight] = []
  /// A number that the process has drawn at random: by it the next one with the same state directory tells the store who has died.
  package var mark = 0
  /// When a process of this state directory began last, before this one, in nanoseconds since 1970.
  package var lastStart: Int64 = 0
  /// The marks of processes of this state directory that have died.
  package var predecessors: [Int] = []
  /// Whether the store was put back from a copy: what clients have seen may be newer than what is in it, so that no view
  /// of theirs may be taken for the session's.
  package var isRestored = false

  /// A process that is alone and has found nothing.
  package init() {}
}
