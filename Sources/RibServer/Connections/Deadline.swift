/// How long a connection may still take for what it is about.
struct Deadline {
  /// When the connection's state began or, of a live connection, when the peer last showed life: it was heard, a message
  /// that it had sent was handled, or it took something that had to wait for it.
  var since: UInt64
  /// When ``Connection/checkDeadline()`` is called next.
  var nextCheck = UInt64.max
  /// When progress was last waited for: after a live connection's peer was pinged, or has made some.
  private var milestoneTime: UInt64 = 0
  /// How many bytes the peer's system must have taken, of all that were ever sent, for the peer to have made progress.
  private var milestone = Int.max

  /// Bytes that the peer must take of what waits for it: what is on its way to a peer that is well is less, and no peer keeps a
  /// connection by a byte now and then.
  static let leastProgress = 4096

  init(since: UInt64) { self.since = since }

  /// Whether progress is waited for since the last sign of life, or since a progress that was one.
  var countsProgress: Bool { milestoneTime >= since }

  /// Whether enough waited for the peer, when progress was last waited for, that there can be some.
  var hasMilestone: Bool { milestone != .max }

  /// When progress was first waited for after the last sign of life; nil if it was not.
  var pingTime: UInt64? { milestoneTime > since ? milestoneTime : nil }

  /// Begins to wait for progress.
  ///
  /// - Parameters:
  ///   - time: now.
  ///   - acknowledged: bytes that the peer's system has taken, of all that were ever sent.
  ///   - waiting: bytes that it has yet to take; if they are few, nothing that it takes is progress.
  mutating func setMilestone(at time: UInt64, acknowledged: Int, waiting: Int) {
    milestoneTime = time
    milestone = waiting >= Self.leastProgress ? acknowledged + Self.leastProgress : .max
  }

  /// Whether the peer has made progress; if so, more of it is waited for.
  mutating func reachesMilestone(at time: UInt64, acknowledged: Int, waiting: Int) -> Bool {
    guard acknowledged >= milestone else { return false }
    setMilestone(at: time, acknowledged: acknowledged, waiting: waiting)
    return true
  }

  /// Whether the peer has made no progress though enough has waited for it; if it has made some, more of it is waited for.
  mutating func missesMilestone(at time: UInt64, acknowledged: Int, waiting: Int) -> Bool {
    hasMilestone && !reachesMilestone(at: time, acknowledged: acknowledged, waiting: waiting)
  }
}
