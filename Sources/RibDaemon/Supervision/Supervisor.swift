import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The supervisor of the process, which is told how the daemon is (sd_notify(3)); none, if the process was not started by one that wants to know.
struct Supervisor: Sendable {
  /// The path of its socket; in the abstract namespace if it begins with `@`.
  private let path: String?
  /// How often it wants to hear that the daemon is well, in nanoseconds; nil if it does not.
  let watchdogNanoseconds: UInt64?

  /// The supervisor that variables tell of.
  ///
  /// - Parameters:
  ///   - processID: this process.
  ///   - variable: the value of a variable; nil if it is not set.
  init(processID: Int32 = getpid(), _ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    path = variable("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForUs = variable("WATCHDOG_PID").map { $0 == "\(processID)" } ?? true
    // Twice in the time after which it would end the process.
    watchdogNanoseconds = isForUs ? variable("WATCHDOG_USEC").flatMap(UInt64.init).map { max($0, 2) * 500 } : nil
  }

  /// Tells the supervisor something; whether it listens is not known.
  ///
  /// - Parameter assignments: as sd_notify(3) has them, `READY=1` for instance.
  func tell(_ assignments: String...) {
    guard let path, var address = Self.address(of: path) else { return }
    #if os(Linux)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let text = Array(assignments.joined(separator: "\n").utf8)
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.utf8.count } ?? 0
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, 0, $0, socklen_t(size))
      }
    }
  }

  /// Tells the supervisor that the settings are being reloaded; afterwards it has to be told `READY=1`.
  func tellReloading() {
    tell("RELOADING=1", "MONOTONIC_USEC=\(TimeSource.system.monotonic() / 1000)")
  }

  private static func address(of path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.utf8.count < room.count else { return false }
      room.copyBytes(from: path.utf8)
      // unix(7): a name in the abstract namespace begins with a zero byte.
      if path.hasPrefix("@") { room[0] = 0 }
      return true
    }
    return fits ? address : nil
  }
}
