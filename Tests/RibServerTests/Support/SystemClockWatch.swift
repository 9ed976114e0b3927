import Foundation

/// Tells whether the system's clock has jumped since the watch was made, as it does when a virtual machine is halted for a while.
struct SystemClockWatch {
  private let start = SystemClockWatch.offset

  /// The wall clock minus the monotonic clock, in seconds.
  private static var offset: Double {
    var moment = timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return Date().timeIntervalSince1970 - Double(moment.tv_sec) - Double(moment.tv_nsec) / 1e9
  }

  /// Whether the clock has jumped by about a minute, from which a server says so.
  var hasJumped: Bool { abs(Self.offset - start) > 50 }
}
