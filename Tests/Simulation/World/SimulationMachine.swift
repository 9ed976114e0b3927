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

/// What the worlds of one run share: a store that is made already, and a directory of the system's with one for each.
package final class SimulationMachine {
  private let directory: String
  private var lastWorld = 0
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

  /// Makes a directory for what the processes of a world have beside the store; its disk is mounted there as well.
  ///
  /// No world has that of another one: what a process has left there that was killed is something that the next one finds.
  ///
  /// - Returns: its path.
  func makeDirectory() -> String {
    lastWorld += 1
    return "\(directory)-\(lastWorld)"
  }

  /// Removes a world's directory.
  ///
  /// - Parameter directory: its path.
  static func remove(_ directory: String) {
    empty(directory)
    rmdir(directory)
  }

  /// Removes the files of a world's directory.
  ///
  /// - Parameter directory: its path.
  static func empty(_ directory: String) {
    if let list = opendir(directory) {
      while let entry = readdir(list) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        unlink("\(directory)/\(name)")
      }
      closedir(list)
    }
  }
}
