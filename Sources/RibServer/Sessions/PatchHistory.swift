/// The patches that a client may have missed: one that comes back soon gets them again instead of the whole view.
///
/// What is kept is bounded in number, bytes and time, and ends where the client says that it has seen it.
struct PatchHistory {
  /// A patch: where its operations end, and when it was made.
  private struct Entry {
    var end: UInt32
    /// Seconds of the loop's time: what is shown a moment longer does no harm, and takes a fourth of the room.
    let second: UInt32
  }

  /// The most patches that are kept.
  static let countLimit = 256
  /// The most bytes of operations that are kept.
  static let byteLimit = 262_144
  /// How many bytes are kept at least, if there are as many: patches of more than twice the view are not worth it, as the view
  /// can be sent instead, but for views of next to nothing.
  private static let leastLimit = 2048
  /// How long a patch is kept, in whole seconds.
  static let timeLimit: UInt32 = 60
  /// Bytes that are kept for the next patches when these are forgotten.
  private static let largestKept = 1024

  /// The operations of the patches, one after the other.
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  /// The view's revision after the last of them; each follows on the one before.
  private var lastRevision = 0
  /// How many of the entries are forgotten: they are taken out together.
  private var forgotten = 0

  /// How many patches are kept.
  var count: Int { entries.count - forgotten }
  /// The bytes that their operations take: at most twice the limit, and one patch.
  var byteCount: Int { bytes.count }

  private var start: Int { forgotten == 0 ? 0 : Int(entries[forgotten - 1].end) }
  /// The view's revision after the first patch that is kept.
  private var firstRevision: Int { lastRevision - count + 1 }

  /// Keeps a patch.
  ///
  /// - Parameters:
  ///   - operations: as they are written, without the brackets.
  ///   - revision: of the view after it: one more than that of the patch before.
  ///   - time: now, in nanoseconds.
  ///   - viewSize: bytes of the whole view, when it was measured last.
  mutating func append(_ operations: [UInt8], revision: Int, at time: UInt64, viewSize: Int) {
    let limit = min(max(2 * viewSize, Self.leastLimit), Self.byteLimit)
    guard operations.count <= limit else { return clear() }
    let second = Self.second(time)
    while count > 0, count >= Self.countLimit || bytes.count - start + operations.count > limit {
      forgotten += 1
    }
    forget(beforeSecond: second)
    if forgotten >= Self.countLimit || start >= limit / 2 { takeOut() }
    bytes.append(contentsOf: operations)
    entries.append(Entry(end: UInt32(bytes.count), second: second))
    lastRevision = revision
  }

  /// Forgets the patches that a client has seen.
  ///
  /// - Parameter revision: the view's that the client has.
  mutating func acknowledge(_ revision: Int) {
    guard revision < lastRevision else { return clear() }
    forgotten += max(0, min(revision - firstRevision + 1, count))
  }

  /// Forgets everything.
  mutating func clear() {
    entries.removeAll(keepingCapacity: entries.capacity <= 16)
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.largestKept)
    forgotten = 0
  }

  /// What a client has missed.
  ///
  /// - Parameters:
  ///   - revision: the view's that the client has.
  ///   - last: the view's present one.
  ///   - time: now, in nanoseconds.
  ///   - body: called for each patch, with the revision after it and its operations.
  /// - Returns: false if not all of it is kept; then nothing is called.
  mutating func replay(
    after revision: Int, to last: Int, at time: UInt64, _ body: (_ revision: Int, _ operations: Span<UInt8>) -> Void
  ) -> Bool {
    forget(before: time)
    guard revision != last else { return true }
    guard count > 0, revision < last, firstRevision <= revision + 1 else { return false }
    var (start, next) = (start, firstRevision)
    for entry in entries[forgotten...] {
      if next > revision { body(next, bytes.span.extracting(start..<Int(entry.end))) }
      start = Int(entry.end)
      next += 1
    }
    return true
  }

  /// Forgets patches that are too old.
  ///
  /// - Parameter time: now, in nanoseconds.
  mutating func forget(before time: UInt64) { forget(beforeSecond: Self.second(time)) }

  private mutating func forget(beforeSecond now: UInt32) {
    while count > 0, now > entries[forgotten].second + Self.timeLimit { forgotten += 1 }
    if count == 0 { clear() }
  }

  private static func second(_ time: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: time / 1_000_000_000) }

  private mutating func takeOut() {
    let start = start
    bytes.removeFirst(start)
    entries.removeFirst(forgotten)
    forgotten = 0
    for index in entries.indices { entries[index].end -= UInt32(start) }
  }
}
