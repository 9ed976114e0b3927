/// When the next commit begins.
///
/// A commit takes the store's time and the processor's, whether it is of one session or of many; and clients that were just
/// answered ask again soon. So after a commit of many the next one waits until as many have asked as were answered, beside those that waited
/// already: then there is nobody to wait for; whose session was read comes again in his own time, and does not count. It does not wait for longer than that commit took, nor than a millisecond. One that follows a commit
/// of few begins at once: no client waits where there is little to do.
struct CommitPace {
  /// From how many requests on a commit is one of many.
  private static let many = 8
  /// The longest wait, in nanoseconds.
  private static let longestWait: UInt64 = 1_000_000

  /// How many requests the next one waits for.
  private var enough = 0
  /// Until when the next one waits for more, as nanoseconds of the monotonic clock.
  private var end: UInt64 = 0

  /// Takes note of a commit.
  ///
  /// - Parameters:
  ///   - size: how many requests it was for, but for those that read sessions.
  ///   - waiting: how many such requests have come meanwhile.
  ///   - start: when it began, in nanoseconds of the monotonic clock.
  ///   - end: when it was done.
  mutating func didCommit(_ size: Int, with waiting: Int, from start: UInt64, to end: UInt64) {
    enough = min(size + waiting, StoreQueue.batchLimit)
    self.end = size < Self.many ? end : end + min(end - min(start, end), Self.longestWait)
  }

  /// How many requests the next commit waits for, and until when.
  ///
  /// - Parameters:
  ///   - count: how many there are, with those that read sessions.
  ///   - now: in nanoseconds of the monotonic clock.
  /// - Returns: nil if it begins now.
  func wait(with count: Int, at now: UInt64) -> (count: Int, end: UInt64)? {
    count < enough && now < end ? (enough, end) : nil
  }
}
