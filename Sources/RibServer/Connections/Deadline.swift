/// How long a connection may still take for what it is about.
struct Deadline {
  /// When the connection's state began or, of a live connection, when the peer last showed life: it was heard, a message
  /// that it had sent was handled, or it took something that had to wait for it.
  var since: UInt64
  /// When ``Connection/checkDeadline()`` is called next.
  var nextCheck = UInt64.max
  /// When a live connection's peer was last pinged.
  var pingedAt: UInt64 = 0
  /// How many bytes the peer's system must have taken, of all that were ever sent, for the peer to have made progress.
  private var milestone = Int.max

  /// Bytes that the peer must take of what waits for it: what is on its way to a peer that is well is less, and by a byte
  /// now and then nobody keeps a connection.
  static let leastProgress = 4096

  init(since: UInt64) { self.since = since }

  /// Begins to wait for progress.
  ///
  /// - Parameters:
  ///   - acknowledged: bytes that the peer's system has taken, of all that were ever sent.
  ///   - waiting: bytes that it has yet to take; if they are few, nothing that it takes is progress.
  mutating func setMilestone(acknowledged: Int, waiting: Int) {
    milestone = waiting >= Self.leastProgress ? acknowledged + Self.leastProgress : .max
  }

  /// Whether the peer has made progress; if so, more of it is waited for.
  mutating func reachesMilestone(acknowledged: Int, waiting: Int) -> Bool {
    guard acknowledged >= milestone else { return false }
    setMilestone(acknowledged: acknowledged, waiting: waiting)
    return true
  }
}
