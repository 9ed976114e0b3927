/// The cost of a session since it came into memory: 64 bytes of numbers, which only its loop changes.
///
/// An action costs a few additions.
struct SessionStats {
  /// Bytes of patches.
  private(set) var patchBytes: UInt64 = 0
  /// Bytes that were given to the store.
  var commitBytes: UInt64 = 0
  /// Nanoseconds for which the loop was busy with the session.
  private(set) var busy: UInt64 = 0
  /// When the session came into memory, in seconds of the loop's time.
  private let began: UInt32
  /// Actions, those included that were refused.
  private(set) var actions: UInt32 = 0
  /// The longest transaction, in microseconds.
  private(set) var longest: UInt32 = 0
  /// Transactions of ten milliseconds or more.
  private(set) var slow: UInt32 = 0
  /// Views that were sent whole.
  private(set) var snapshots: UInt32 = 0
  /// The minute, of the loop's time, that the present counts are of; those of the one before stand beside them.
  private var minute: UInt32
  private var minuteActions: UInt32 = 0
  private var lastMinuteActions: UInt32 = 0
  private var minutePatchBytes: UInt32 = 0
  private var lastMinutePatchBytes: UInt32 = 0

  private static let nanosecondsPerMinute: UInt64 = 60_000_000_000

  /// A session that comes into memory.
  ///
  /// - Parameter now: the loop's time.
  init(at now: UInt64) {
    began = UInt32(truncatingIfNeeded: now / 1_000_000_000)
    minute = UInt32(truncatingIfNeeded: now / Self.nanosecondsPerMinute)
  }

  /// When the session came into memory, as the loop's time, exact to a second.
  var start: UInt64 { UInt64(began) * 1_000_000_000 }

  /// Counts an action.
  mutating func noteAction(at now: UInt64) {
    turn(to: now)
    actions &+= 1
    minuteActions &+= 1
  }

  /// Counts a patch.
  mutating func notePatch(bytes: Int, at now: UInt64) {
    turn(to: now)
    patchBytes &+= UInt64(bytes)
    minutePatchBytes &+= UInt32(truncatingIfNeeded: bytes)
  }

  /// Counts a transaction, whatever has begun it.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long the loop was busy with it.
  ///   - isSlow: whether that is long.
  mutating func noteTransaction(_ nanoseconds: UInt64, isSlow: Bool) {
    busy &+= nanoseconds
    longest = max(longest, UInt32(clamping: nanoseconds / 1000))
    if isSlow { slow &+= 1 }
  }

  /// Counts a view that is sent whole.
  mutating func noteSnapshot() { snapshots &+= 1 }

  private mutating func turn(to now: UInt64) {
    let present = UInt32(truncatingIfNeeded: now / Self.nanosecondsPerMinute)
    guard present != minute else { return }
    let follows = present == minute &+ 1
    lastMinuteActions = follows ? minuteActions : 0
    lastMinutePatchBytes = follows ? minutePatchBytes : 0
    minuteActions = 0
    minutePatchBytes = 0
    minute = present
  }

  /// Actions and bytes of patches in the last sixty seconds, about: of the minute before, that part counts which is not over for sixty seconds.
  ///
  /// - Parameter now: the loop's time.
  /// - Returns: both.
  func lastMinute(at now: UInt64) -> (actions: Int, patchBytes: Int) {
    var present = self
    present.turn(to: now)
    let left = Self.nanosecondsPerMinute - now % Self.nanosecondsPerMinute
    func sum(_ count: UInt32, _ before: UInt32) -> Int {
      Int(count) + Int(UInt64(before) * (left / 1_000_000) / 60_000)
    }
    return (
      sum(present.minuteActions, present.lastMinuteActions), sum(present.minutePatchBytes, present.lastMinutePatchBytes)
    )
  }
}
