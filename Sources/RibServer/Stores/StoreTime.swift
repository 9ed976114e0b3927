/// The time that the sessions of a file age by: seconds, counted while some process uses the file.
///
/// It began as the system's time, and goes as fast. What the file keeps is how far it is from the system's time: that changes
/// when the system's clock jumps, and when the file was not used for a while.
///
/// Several processes go by one time, and each notes it in the file every few seconds. A process that compares its own count with the
/// file's note finds one of these:
///
/// - By its own count, nobody has noted the time for a while. Then all processes were held up, as by a signal that stops them, or had
///   ended. The first process to compare goes on from the note, as a process does that starts; the others then find its time in the
///   file, and go by that.
/// - The file's time is not the one that it has counted. Then the system's clock has jumped, and what was counted holds.
/// - The file's time is the one that it has counted, at another distance from the system's time. Then the clock has jumped, and
///   another process has taken that into account.
///
/// A machine that sleeps stops the monotonic clock as well, so that its sleep looks like a jump of the system's clock. A time that
/// is later than the one that was counted is never taken over: no session is forgotten for it.
package struct StoreTime {
  /// The note on the time that the file keeps.
  struct Note {
    /// How far the time is from the system's.
    var shift: Int
    /// The time at which a process noted it last; nil in a file that is new.
    var seen: Int?

    /// A note as it stands in the file's columns, where 0 is a time that nobody has noted.
    init(shift: Int, seenOrZero seen: Int) {
      self.shift = shift
      self.seen = seen == 0 ? nil : seen
    }

    /// The time if the system's clock has not jumped.
    fileprivate func time(_ clock: TimeSource) -> Int { clock.wall() + shift }

    /// Whether a process has noted it of late, and the system's clock has not jumped since.
    fileprivate func isKept(_ clock: TimeSource) -> Bool {
      guard let seen else { return false }
      return abs(time(clock) - seen) <= StoreTime.tolerance
    }
  }

  /// Seconds that the time does not count, as a comparison has found.
  package enum Change: Equatable, Sendable {
    /// The system's clock has jumped, forward or back.
    case jump(Int)
    /// The process was held up for so long, as were all others, or another one has found that out.
    case pause(Int)
  }

  /// What the clock may jump, or the file be without a process, before it is not counted: in seconds.
  static let tolerance = 60

  /// The time at some moment, and that moment by the monotonic clock.
  private var known: (time: Int, moment: Int)
  /// How far it is from the system's time, as far as this process knows.
  private(set) var shift: Int

  /// The time of somebody who only looks into the file.
  ///
  /// - Parameters:
  ///   - note: what the file keeps.
  ///   - clock: what the time goes on by.
  init(lookingAt note: Note, _ clock: TimeSource) {
    known = (note.time(clock), clock.seconds)
    shift = note.shift
  }

  /// The time of a process that starts: it goes on from when a process was there last.
  ///
  /// - Parameters:
  ///   - note: what the file keeps.
  ///   - clock: what the time goes on by.
  init(goingOnFrom note: Note, _ clock: TimeSource) {
    self.init(lookingAt: note, clock)
    // A file that is new begins now.
    guard let seen = note.seen, abs(known.time - seen) > Self.tolerance else { return }
    goOn(from: seen, clock)
  }

  /// What it is now.
  ///
  /// A process that was held up counts that time in until it has compared: what is written then is forgotten later, never too early.
  func now(_ clock: TimeSource) -> Int { known.time + clock.seconds - known.moment }

  /// The earliest that it can be, whatever a comparison finds: by this time no session is forgotten too early.
  func earliest(_ note: Note, _ clock: TimeSource) -> Int {
    let earlier = min(now(clock), note.time(clock))
    return min(earlier, note.seen.map { $0 + Self.tolerance } ?? earlier)
  }

  /// Compares the time with that of the file, so that ``shift`` and ``now(_:)`` are what the file is to keep.
  ///
  /// - Parameters:
  ///   - note: what the file keeps.
  ///   - clock: what tells the system's time.
  /// - Returns: what this process does not count, whichever process has found it first; nil if there is nothing.
  mutating func compare(with note: Note, _ clock: TimeSource) -> Change? {
    let (counted, before) = (now(clock), shift)
    if let seen = note.seen, counted - seen > Self.tolerance {
      if note.isKept(clock) { self = StoreTime(lookingAt: note, clock) } else { goOn(from: seen, clock) }
      return .pause(counted - now(clock))
    }
    if abs(note.time(clock) - counted) > Self.tolerance {
      goOn(from: counted, clock)
    } else {
      self = StoreTime(lookingAt: note, clock)
    }
    return abs(before - shift) > Self.tolerance ? .jump(before - shift) : nil
  }

  private mutating func goOn(from time: Int, _ clock: TimeSource) {
    known = (time, clock.seconds)
    shift = time - clock.wall()
  }
}
