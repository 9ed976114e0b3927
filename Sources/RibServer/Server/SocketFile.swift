#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of a socket.
struct SocketFile: Equatable, Sendable {
  /// Where it is.
  let path: String
  private let identity: FileIdentity
  // A file that takes the place of another one may get the number of that as well.
  private let seconds: Int
  private let nanoseconds: Int

  /// The file that has a name now; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, let identity = FileIdentity(path) else { return nil }
    (self.path, self.identity) = (path, identity)
    (seconds, nanoseconds) = (status.modified.tv_sec, status.modified.tv_nsec)
  }
}

extension stat {
  /// When the file was made or changed.
  fileprivate var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
