/// The answers to actions that wait for a commit: how many they are, and since when the first of them waits.
struct AwaitedAnswers {
  private var count: UInt32 = 0
  private var cutCount: UInt32 = 0
  /// When the first action since the last cut was read, in nanoseconds of the monotonic clock.
  private var start: UInt64 = 0
  /// The same of those that are being committed.
  private var cutStart: UInt64 = 0

  /// Takes note of an action.
  ///
  /// - Parameter now: when it was read.
  mutating func note(at now: UInt64) {
    if count == 0 { start = now }
    count &+= 1
  }

  /// Takes note that all actions so far are a part of the cut.
  mutating func beginCut() {
    if cutCount == 0 { cutStart = start }
    cutCount &+= count
    count = 0
  }

  /// Takes note that the answers may go whose actions were a part of the cut.
  ///
  /// - Returns: how many, and since when the first of them has waited.
  mutating func endCut() -> (count: UInt64, since: UInt64) {
    defer { cutCount = 0 }
    return (UInt64(cutCount), cutStart)
  }
}
