/// The time that the sessions of a file age by: seconds, counted while some process uses the file.
///
/// It began as the system's time, and goes as fast. What the file keeps is how far it is from the system's time: that changes
/// when the system's clock jumps, and when the file was not used for a while.
///
/// Several processes go by one time. Where a process finds that the file's time is not the one that it has counted itself, then
///
/// - another process has changed how far it is from the system's, and it is earlier: the file was without a process for that one,
///   as this one was held up. The file's time holds.
/// - otherwise the system's clock has jumped, and the time that was counted holds.
///
/// A time that is later than the one that was counted is never taken over: no session is forgotten for it.
struct StoreTime {
  /// What the clock may jump, or the file be without a process, before it is not counted: in seconds.
  static let tolerance = 60

  /// The time at some moment, and that moment by the monotonic clock.
  private var known: (time: Int, moment: Int)
  /// How far it is from the system's time, as far as this process knows.
  private(set) var shift: Int

  /// A time that goes on from now.
  ///
  /// - Parameters:
  ///   - shift: how far it is from the system's time.
  ///   - clock: what it goes on by.
  init(shift: Int, _ clock: TimeSource) {
    known = (clock.wall() + shift, clock.seconds)
    self.shift = shift
  }

  /// What it is now.
  func now(_ clock: TimeSource) -> Int { known.time + clock.seconds - known.moment }

  /// Compares the time with that of the file, so that ``shift`` is what the file is to have.
  ///
  /// - Parameters:
  ///   - shift: how far the file's time is from the system's.
  ///   - clock: what tells the system's.
  /// - Returns: by how many seconds the system's clock has jumped; nil if it has not.
  mutating func compare(withShift shift: Int, _ clock: TimeSource) -> Int? {
    let jump = clock.wall() + shift - now(clock)
    if abs(jump) <= Self.tolerance || jump < 0 && shift != self.shift {
      self = StoreTime(shift: shift, clock)
      return nil
    }
    self.shift = shift - jump
    return jump
  }
}
