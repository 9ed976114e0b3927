import CLyingDisk
import RibServer
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the worlds of one run share: a directory of the system's, and a store that is made already.
package final class SimulationMachine {
  /// Where the processes have what is beside the store; the disk is mounted there as well.
  let directory: String
  /// A disk with an empty store.
  private(set) var template: SimulatedDisk?
  /// What the disk of each world says is durable and is not; nil for an honest one.
  package let lie: SimulatedDisk.Lie?

  /// A machine with a directory of its own.
  ///
  /// - Parameters:
  ///   - directory: a directory that is there, of which it makes one below.
  ///   - lie: what is said to be durable and is not.
  /// - Throws: an error of the store.
  package init(in directory: String, lie: SimulatedDisk.Lie? = nil) throws {
    self.lie = lie
    self.directory = "\(directory)/ribsim-\(getpid())"
    rib_disks_register()
    rib_disks_seed(0)
    let template = SimulatedDisk(at: "\(self.directory)-template")
    try DiskProcess().run {
      let store = try SQLiteStore(path: "\(template.directory)/\(SQLiteStore.fileName)", durability: .disk)
      store.close()
    }
    template.sync()
    self.template = template
  }
}
