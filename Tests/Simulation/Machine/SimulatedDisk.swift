import CLyingDisk
import RibServer

/// The disk that all processes of a world have their store on.
package final class SimulatedDisk {
  /// Where it is mounted: no directory of the system's has that name.
  let directory: String
  private var disk: OpaquePointer

  /// A disk with nothing on it, or with what another one has.
  init(at directory: String, copying template: SimulatedDisk? = nil) {
    self.directory = directory
    disk = template.map { rib_disk_copy($0.disk) } ?? rib_disk_make()
    rib_disk_mount(disk, directory)
  }

  deinit {
    unmount()
    // Of files that are open still there is a finding.
    if handleCount == 0 { rib_disk_free(disk) }
  }

  /// Makes room for another disk at the directory; no process may run.
  func unmount() { rib_disk_unmount(disk) }

  /// How many files are open.
  var handleCount: Int { Int(rib_disk_open_handles(disk)) }

  /// Makes all durable that is on it.
  func sync() { rib_disk_sync(disk) }

  /// Cuts the power; every process must be dead.
  func cutPower(_ seed: UInt64) { rib_disk_cut_power(disk, seed) }

  /// Sets how many bytes the files may have; 0 for any number.
  func setCapacity(_ bytes: Int) { rib_disk_set_capacity(disk, UInt64(bytes)) }

  /// Bytes of all files.
  var size: Int {
    (0..<rib_disk_file_count(disk)).reduce(0) { sum, index in
      rib_disk_file_name(disk, index).map { sum + Int(rib_disk_file_size(disk, $0)) } ?? sum
    }
  }

  /// Has it lie about syncs.
  func lie(_ lie: Lie) {
    switch lie {
    case .ofSyncs: rib_disk_set_skips_sync(disk, true)
    case .ofDirectorySyncs: rib_disk_set_skips_directory_sync(disk, true)
    }
  }

  /// What a disk that is broken says is durable, and is not.
  package enum Lie: String, CaseIterable, Sendable {
    case ofSyncs = "syncs"
    case ofDirectorySyncs = "directory-syncs"
  }

  /// Adds what was counted to the figures of a run.
  func count(in figures: inout Figures) {
    let counted = rib_disk_counted(disk)
    figures.syncs += Int(counted.syncs)
    figures.powerCuts += Int(counted.power_cuts)
    figures.droppedSectors += Int(counted.sectors_dropped)
    figures.tornWrites += Int(counted.writes_torn)
    figures.droppedEntries += Int(counted.entries_dropped)
    for kind in 0..<UInt32(RIB_CALL_KINDS) {
      let call = rib_call(rawValue: kind)
      figures.diskCalls[Int(kind)] += Int(rib_disk_calls(disk, call))
      figures.diskFaults[Int(kind)] += Int(rib_disk_faults(disk, call))
    }
  }

  /// The names of the kinds of calls, in the order of ``Figures/diskFaults``.
  static let callNames = [
    "open", "read", "write", "sync", "truncate", "lock", "shm map", "shm lock", "delete", "file size", "access",
  ]
}
