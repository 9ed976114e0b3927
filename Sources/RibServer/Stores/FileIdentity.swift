#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file, whatever its name: what tells it from another one that has been put in its place.
package struct FileIdentity: Equatable, Sendable, CustomStringConvertible {
  private let device: UInt64
  private let number: UInt64

  /// The file that has a name now; nil if there is none.
  ///
  /// - Parameter path: the name.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The link that has a name now, or the file if there is no link; nil if there is neither.
  ///
  /// - Parameter path: the name.
  init?(link path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file that is open; nil for a descriptor that is not.
  ///
  /// - Parameter descriptor: the descriptor.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// The numbers of the device and of the file, with a colon between them.
  package var description: String { "\(device):\(number)" }
}
