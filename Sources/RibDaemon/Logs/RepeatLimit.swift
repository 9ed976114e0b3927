import Logging

/// Leaves out what is said again and again: of one message a minute ``countLimit`` lines are written.
///
/// A stranger can have some lines written as often as they like. Lines for debugging, critical ones, and those about what operators do are
/// never left out.
struct RepeatLimit {
  /// The fate of a line.
  enum Verdict: Equatable {
    /// The line is written.
    case write
    /// The line is written, and those like it are left out until the minute is over.
    case writeLast
    /// The line is written, and so many like it were left out before.
    case writeAfter(Int)
    /// The line is left out.
    case leaveOut
  }

  /// How many lines of one message are written a minute.
  static let countLimit = 60
  /// How long a minute is, in nanoseconds.
  static let minute: Int64 = 60_000_000_000
  /// How many messages are told apart: with more of them the oldest minute is over early.
  static let messageLimit = 1024

  private struct Minute {
    let start: Int64
    var count = 0
  }

  private struct Key: Hashable {
    let level: Logger.Level
    let label: String
    let message: String
  }

  private var minutes: [Key: Minute] = [:]

  /// Takes note of a line.
  ///
  /// - Parameter entry: what it says; of its metadata only `audit` matters.
  /// - Returns: what becomes of it.
  mutating func note(_ entry: LogFormat.Entry) -> Verdict {
    guard entry.level > .debug, entry.level < .critical, entry.metadata["audit"] == nil else { return .write }
    let key = Key(level: entry.level, label: entry.label, message: entry.message)
    if var minute = minutes[key], 0..<Self.minute ~= entry.time - minute.start {
      minute.count += 1
      minutes[key] = minute
      return minute.count > Self.countLimit ? .leaveOut : minute.count == Self.countLimit ? .writeLast : .write
    }
    let leftOut = max((minutes[key]?.count ?? 0) - Self.countLimit, 0)
    if minutes[key] == nil, minutes.count >= Self.messageLimit,
      let oldest = minutes.min(by: { $0.value.start < $1.value.start })?.key
    {
      minutes[oldest] = nil
    }
    minutes[key] = Minute(start: entry.time, count: 1)
    return leftOut > 0 ? .writeAfter(leftOut) : .write
  }
}
