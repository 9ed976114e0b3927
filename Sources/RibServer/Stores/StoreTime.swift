/// The time that the sessions of a file age by: seconds, counted while some process uses the file.
///
/// It began as the system's time, and goes as fast. What the file keeps is how far it is from the system's time: that changes
/// when the system's clock jumps, and when the file was not used for a while.
struct StoreTime {
  /// What the clock may jump, or the file be without a process, before it is not counted: in seconds.
  static let tolerance = 60

  /// The time at some moment, and that moment by the monotonic clock.
  private var known: (time: Int, moment: Int)

  /// A time that goes on from now.
  ///
  /// - Parameters:
  ///   - time: what it is now.
  ///   - clock: what it goes on by.
  init(_ time: Int, _ clock: TimeSource) { known = (time, clock.seconds) }

  /// What it is now.
  func now(_ clock: TimeSource) -> Int { known.time + clock.seconds - known.moment }
}
