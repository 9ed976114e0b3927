import RibServer
import Simulation

/// Sees that a run's memory stays as it is: what each schedule leaves behind adds up over many.
struct MemoryWatch {
  /// Schedules after which all is there that is made once, and then between two looks.
  private static let warmUp = 200
  private static let interval = 50
  /// What the allocator may come to hold by chance, in bytes: a run of millions stays within a few MiB.
  private static let tolerance = 32 << 20

  private var count = 0
  private var usual: Int?

  /// Takes note of a schedule that has ended.
  ///
  /// - Throws: ``Finding`` if the process has grown.
  mutating func note() throws(Finding) {
    count += 1
    guard count >= Self.warmUp, count.isMultiple(of: Self.interval), let bytes = residentBytes() else { return }
    guard let usual else { return usual = bytes }
    guard bytes < usual + Self.tolerance else {
      self.usual = bytes
      throw Finding(.leak, "\(bytes >> 10) KiB after \(count) schedules, and \(usual >> 10) KiB before")
    }
  }
}
